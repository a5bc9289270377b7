#include "json.h"

#include <stdlib.h>
#include <string.h>

static const Json missing = {.kind = JSON_NULL, .text = ""};

static Json *read_value(const char **at);

static void skip_space(const char **at) {
    *at += strspn(*at, " \t\r\n");
}

// Skip a word if it comes next.
static bool take(const char **at, const char *word) {
    skip_space(at);
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

// Add a character as UTF-8.
static char *add_code(char *end, unsigned code) {
    if (code < 0x80) {
        *end++ = (char)code;
    } else if (code < 0x800) {
        *end++ = (char)(0xc0 | code >> 6);
        *end++ = (char)(0x80 | (code & 63));
    } else {
        *end++ = (char)(0xe0 | code >> 12);
        *end++ = (char)(0x80 | (code >> 6 & 63));
        *end++ = (char)(0x80 | (code & 63));
    }
    return end;
}

// Return the rest of a text, after its first quote; NULL if it has no end. Halves of a pair are replaced.
static char *read_text(const char **at) {
    char *text = malloc(strlen(*at) + 1), *end = text;
    for (char c; text && (c = **at) != '"'; ) {
        if (!c || (c == '\\' && !(*at)[1])) {
            free(text);
            return NULL;
        }
        ++*at;
        if (c != '\\') {
            *end++ = c;
            continue;
        }
        c = *(*at)++;
        const char *const letters = "bfnrt", *const known = strchr(letters, c);
        if (known) {
            *end++ = "\b\f\n\r\t"[known - letters];
        } else if (c == 'u') {
            char digits[5] = "";
            strncpy(digits, *at, 4);
            if (strspn(digits, "0123456789abcdefABCDEF") != 4) {
                free(text);
                return NULL;
            }
            const unsigned code = (unsigned)strtoul(digits, NULL, 16);
            end = add_code(end, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
            *at += 4;
        } else {
            *end++ = c;
        }
    }
    if (!text) return NULL;
    ++*at;
    *end = 0;
    return realloc(text, (size_t)(end - text) + 1);
}

// Add a value and its key, if it has one, to a list or an object.
static bool add(Json *to, char *key, Json *value) {
    Json **items = realloc(to->items, (to->count + 1) * sizeof *items);
    if (items) to->items = items;
    char **keys = realloc(to->keys, (to->count + 1) * sizeof *keys);
    if (keys) to->keys = keys;
    if (!items || !keys || !value) {
        free(key);
        json_free(value);
        return false;
    }
    to->items[to->count] = value;
    to->keys[to->count++] = key;
    return true;
}

// Read the parts of a list or an object, up to its last bracket.
static bool read_parts(Json *into, const char **at) {
    const char *const last = into->kind == JSON_OBJECT ? "}" : "]";
    while (!take(at, last)) {
        if (into->count && !take(at, ",")) return false;
        char *key = NULL;
        if (into->kind == JSON_OBJECT) {
            if (!take(at, "\"") || !(key = read_text(at))) return false;
            if (!take(at, ":")) {
                free(key);
                return false;
            }
        }
        if (!add(into, key, read_value(at))) return false;
    }
    return true;
}

static Json *read_value(const char **at) {
    Json *value = calloc(1, sizeof *value);
    bool is_read = value != NULL;
    if (!is_read) return NULL;
    if (take(at, "{")) {
        value->kind = JSON_OBJECT;
        is_read = read_parts(value, at);
    } else if (take(at, "[")) {
        value->kind = JSON_LIST;
        is_read = read_parts(value, at);
    } else if (take(at, "\"")) {
        value->kind = JSON_TEXT;
        is_read = (value->text = read_text(at)) != NULL;
    } else if (take(at, "true") || take(at, "false")) {
        value->kind = JSON_BOOLEAN;
        value->number = (*at)[-2] == 'u';
    } else if (!take(at, "null")) {
        char *end;
        value->kind = JSON_NUMBER;
        value->number = strtod(*at, &end);
        is_read = end != *at;
        *at = end;
    }
    if (is_read) return value;
    json_free(value);
    return NULL;
}

Json *json_parse(const char *text) {
    Json *value = read_value(&text);
    skip_space(&text);
    if (!value || !*text) return value;
    json_free(value);
    return NULL;
}

const Json *json_get(const Json *object, const char *key) {
    for (size_t number = 0; object->keys && number < object->count; number++)
        if (object->keys[number] && strcmp(object->keys[number], key) == 0) return object->items[number];
    return &missing;
}

const char *json_text(const Json *object, const char *key) {
    const char *const text = json_get(object, key)->text;
    return text ? text : "";
}

double json_number(const Json *object, const char *key) {
    return json_get(object, key)->number;
}

void json_free(Json *value) {
    if (!value) return;
    for (size_t number = 0; number < value->count; number++) {
        json_free(value->items[number]);
        free(value->keys[number]);
    }
    free(value->items);
    free(value->keys);
    free(value->text);
    free(value);
}
