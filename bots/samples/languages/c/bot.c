// Plays any legal action of any game: the smallest bot in C.
//
// A message is one line of JSON. This bot looks at nothing but the list of legal actions, and answers with one of its
// strings just as it stands there, quotes included. So a search for the right words does; for more, bring a JSON parser.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LEGAL[] = "\"legal\":[";

// The end of the JSON string that begins at `text` with a quote: where its closing quote is.
static const char *end_of_string(const char *text) {
    for (text++; *text != '"'; text++) {
        if (*text == '\\') text++;
    }
    return text;
}

// The whole number after these words in `line`; 0 if the line doesn't have them.
static long long number_after(const char *line, const char *words) {
    const char *found = strstr(line, words);
    return found == NULL ? 0 : atoll(found + strlen(words));
}

// One of the legal actions in `line`, each as likely as the others: each takes the place of the choice so far with a
// chance of one in as many as there have been. NULL if the line has none.
static const char *choose(const char *line) {
    const char *text = strstr(line, LEGAL), *chosen = NULL;
    if (text == NULL) return NULL;
    text += strlen(LEGAL);
    for (int seen = 1; *text == '"'; seen++) {
        if (rand() % seen == 0) chosen = text;
        text = end_of_string(text) + 1;
        if (*text == ',') text++;
    }
    return chosen;
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    long long seed = 0;
    while (getline(&line, &size, stdin) > 0) {
        // The leg's seed and the number of the decision: the same question has the same answer.
        srand((unsigned)(seed * 1000003 + number_after(line, "\"n\":")));
        const char *chosen = choose(line);
        if (strstr(line, "\"type\":\"hello\"") != NULL) {
            seed = number_after(line, "\"seed\":");
            puts("{\"type\":\"ready\"}");
        } else if (chosen != NULL) {
            printf("{\"action\":%.*s}\n", (int)(end_of_string(chosen) + 1 - chosen), chosen);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
