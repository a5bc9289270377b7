// A small reader of JSON, as the standard library has none.
//
//     Json *message = json_parse(line);
//     json_get(json_get(message, "view"), "flags")->count;
//     json_free(message);

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json {
    JsonKind kind;
    double number;       // of a number; 1 or 0 of a boolean
    char *text;          // of a text
    size_t count;        // of a list or an object
    struct Json **items; // of a list, or the values of an object
    char **keys;         // of an object
} Json;

// Return the value of a text; NULL if it is not JSON.
Json *json_parse(const char *text);

// Return a field of an object; a null if it is missing.
const Json *json_get(const Json *object, const char *key);

// Return the text of a field; an empty one if it is missing.
const char *json_text(const Json *object, const char *key);

// Return the number of a field; 0 if it is missing.
double json_number(const Json *object, const char *key);

void json_free(Json *value);

#endif
