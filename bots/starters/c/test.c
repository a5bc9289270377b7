// Tests of the bot: `gcc -DTEST -o .test test.c json.c && ./.test` in its folder runs them.
//
// The arena compiles this file, too, but without TEST there is nothing in it.

#ifdef TEST
#include "bot.c"

static int failures;

// Tell a mistake, and count it.
static void check(bool holds, const char *what) {
    if (holds) return;
    printf("FAILED: %s\n", what);
    failures++;
}

// Return the nth line of turns.jsonl: a turn of each game as the arena sends it, and in `answer` what the bot says before
// you change it.
static Json *read_turn(int n) {
    static char line[MAX_LINE];
    FILE *const file = fopen("turns.jsonl", "r");
    Json *message = NULL;
    while (file && fgets(line, sizeof line, file))
        if (n-- == 0) message = json_parse(line);
    if (file) fclose(file);
    return message;
}

static void test_whole_turn(void) {
    int n = 0;
    for (Json *message; (message = read_turn(n)); n++, json_free(message)) {
        if (strcmp(json_text(message, "type"), "hello") == 0) {
            start(message);
            continue;
        }
        const char *const answer = choose(message);
        check(is_legal(message, answer), "the answer is legal");
        check(strcmp(answer, json_text(message, "answer")) == 0, answer);
    }
    check(n == 9, "turns.jsonl has 9 lines");
}

static void test_cards_that_go_together_fit(void) {
    Json *const turn = read_turn(1);
    const double colour = rate_fit("play B10 4", turn), number = rate_fit("play Y3 4", turn);
    check(colour > number, "a card of the colour fits best");
    check(number > rate_fit("play R1 4", turn), "a card of the number fits better than any other");
    json_free(turn);
}

static void test_strength_of_cards(void) {
    Json *const cards = json_parse("[\"A\", \"J\", \"10\", \"?\", null]");
    const double worth[] = {11, 1, 10, 6.5, 0};
    for (size_t number = 0; number < cards->count; number++)
        check(strength(cards->items[number]) == worth[number], "the strength of a card");
    json_free(cards);
}

static void test_json(void) {
    Json *const value = json_parse(" {\"a\": [1, -2.5e1, true, null, {}], \"b\\u00e9\\n\": \"\\\"\\u20ac\\\\\", \"c\": []} ");
    const Json *const list = json_get(value, "a");
    check(list->count == 5 && list->items[1]->number == -25 && list->items[2]->number == 1, "a list");
    check(strcmp(json_text(value, "b\u00e9\n"), "\"\u20ac\\") == 0, "escapes");
    check(json_get(value, "c")->count == 0 && json_get(value, "d")->kind == JSON_NULL, "an empty list, and none");
    json_free(value);
    const char *const wrong[] = {"", "{", "[1 2]", "{\"a\" 1}", "\"\\u12\"", "\"", "\"\\", "nul", "1 1", "{1: 2}"};
    for (size_t number = 0; number < sizeof wrong / sizeof *wrong; number++)
        check(!json_parse(wrong[number]), wrong[number]);
}

int main(void) {
    read_parameters();
    test_whole_turn();
    test_cards_that_go_together_fit();
    test_strength_of_cards();
    test_json();
    if (!failures) puts("ok");
    return failures != 0;
}
#endif
