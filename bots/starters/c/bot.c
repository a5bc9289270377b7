// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr is
// the bot's private log. `json.h` reads the messages.

#include "json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE (1 << 20)
#define MAX_PLAN 256
#define MAX_ACTIONS 4096
#define HIDDEN_CARD_VALUE 6.5

// Numbers that `pennant tune` can find better values for.
static double same_colour, same_number;

// The rest of this turn's plan in Battle Line, and the seed of this leg.
static struct {
    long long seed;
    int turn, count, next;
    char actions[MAX_PLAN][16];
} plan = {.seed = 1, .turn = -1};

// A list of actions that belong to the message.
typedef struct {
    const char *actions[MAX_ACTIONS];
    size_t count;
} Actions;

// How good an action is.
typedef double Rate(const char *action, const Json *message);

// Begin a leg.
static void start(const Json *hello) {
    plan.seed = (long long)json_number(hello, "seed");
    plan.turn = -1;
}

static bool begins(const char *action, const char *prefix) {
    return strncmp(action, prefix, strlen(prefix)) == 0;
}

// Return the legal actions that begin with these words.
static Actions with_prefix(const Json *message, const char *prefix) {
    const Json *const legal = json_get(message, "legal");
    Actions found = {.count = 0};
    for (size_t number = 0; number < legal->count && found.count < MAX_ACTIONS; number++)
        if (begins(legal->items[number]->text, prefix)) found.actions[found.count++] = legal->items[number]->text;
    return found;
}

static bool is_legal(const Json *message, const char *action) {
    const Json *const legal = json_get(message, "legal");
    for (size_t number = 0; number < legal->count; number++)
        if (strcmp(legal->items[number]->text, action) == 0) return true;
    return false;
}

// Return one of these actions: by chance, but the same whenever this request comes in this leg.
static const char *pick(const Actions *from, const Json *message) {
    return from->actions[(size_t)(plan.seed + (long long)json_number(message, "n")) % from->count];
}

// Return one of the actions with the highest rating.
static const char *pick_best(const Actions *from, Rate rate, const Json *message) {
    double highest = rate(from->actions[0], message);
    for (size_t number = 1; number < from->count; number++) {
        const double points = rate(from->actions[number], message);
        if (points > highest) highest = points;
    }
    Actions best = {.count = 0};
    for (size_t number = 0; number < from->count; number++)
        if (rate(from->actions[number], message) == highest) best.actions[best.count++] = from->actions[number];
    return pick(&best, message);
}

// Return the number of the card that is played: 7 for `play R7 3`; 0 for tactics.
static int troop_number(const char *card) {
    return isdigit((unsigned char)card[1]) ? atoi(card + 1) : 0;
}

// Return how well a troop fits to our cards at its flag, by colour and by number.
static double rate_fit(const char *action, const Json *message) {
    const char *const card = action + strlen("play ");
    const int number = troop_number(card), flag = atoi(strchr(card, ' '));
    const size_t seat = (size_t)json_number(message, "seat");
    const Json *const flags = json_get(json_get(message, "view"), "flags");
    const Json *const ours = json_get(flags->items[flag - 1], "cards")->items[seat];
    double points = number / 10.0;
    for (size_t other = 0; other < ours->count; other++) {
        if (ours->items[other]->text[0] == card[0]) points += same_colour;
        if (troop_number(ours->items[other]->text) == number) points += same_number;
    }
    return points;
}

static void add_to_plan(const char *action) {
    if (plan.count < MAX_PLAN) snprintf(plan.actions[plan.count++], sizeof plan.actions[0], "%s", action);
}

// Plan a whole turn: claim what can be claimed, play the card that fits best, claim, and draw.
static void make_plan(const Json *message) {
    const Actions claims = with_prefix(message, "claim "), cards = with_prefix(message, "play ");
    const Json *const flags = json_get(json_get(message, "view"), "flags");
    Actions plays = {.count = 0};
    plan.count = plan.next = 0;
    for (size_t number = 0; number < claims.count; number++) add_to_plan(claims.actions[number]);
    for (size_t number = 0; number < cards.count; number++)
        if (troop_number(cards.actions[number] + strlen("play "))) plays.actions[plays.count++] = cards.actions[number];
    if (plays.count) add_to_plan(pick_best(&plays, rate_fit, message));
    for (size_t number = 0; number < flags->count; number++) {
        char claim[16];
        snprintf(claim, sizeof claim, "claim %d", (int)json_number(flags->items[number], "flag"));
        if (json_get(flags->items[number], "owner")->kind == JSON_NULL) add_to_plan(claim);
    }
    add_to_plan("draw troop");
}

// Follow the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw.
static const char *choose_in_battle_line(const Json *message) {
    const int turn = (int)json_number(json_get(message, "view"), "turn");
    if (plan.turn != turn) {
        plan.turn = turn;
        make_plan(message);
    }
    for (int number = plan.next; number < plan.count; number++) {
        if (!is_legal(message, plan.actions[number])) continue; // what isn't possible when its time comes is left out
        plan.next = number + 1;
        return plan.actions[number];
    }
    const Actions all = with_prefix(message, "");
    return pick(&all, message);
}

// Return the value of a card: average for a hidden card (?), 0 for an empty cell (null). Court cards are approximate.
static double strength(const Json *card) {
    if (card->kind == JSON_NULL) return 0;
    switch (card->text[0]) {
        case '?': return HIDDEN_CARD_VALUE;
        case 'A': return 11;
        case 'K': case 'J': return 1;
        case 'Q': return 10;
        default: return atoi(card->text);
    }
}

// Return the card of a seat's cell, which is named as in an attack: `2b`, or `g` for the guard.
static const Json *find_card(const Json *message, int seat, const char *cell) {
    const Json *const player = json_get(json_get(message, "view"), "seats")->items[seat];
    const Json *const rows = json_get(player, "rows"), *found = json_get(player, "guard");
    for (size_t row = 0; row < rows->count; row++)
        for (size_t number = 0; number < rows->items[row]->count; number++)
            if (strcmp(json_text(rows->items[row]->items[number], "cell"), cell) == 0)
                found = rows->items[row]->items[number];
    return json_get(found, "card");
}

// Return by how much an attack's card is stronger than its target: `attack 1a 1:2b`.
static double gain(const char *action, const Json *message) {
    char from[8], target[8];
    int seat;
    if (sscanf(action, "attack %7s %d:%7s", from, &seat, target) != 3) return 0;
    const int own = (int)json_number(message, "seat");
    return strength(find_card(message, own, from)) - strength(find_card(message, seat, target));
}

// Pick up the wounded, make the best attack, or else reinforce, modify or pass.
static const char *choose_in_battalion(const Json *message) {
    static const char *const prefixes[] = {"pickup", "reinforce ", "modify", "pass", ""};
    const Actions attacks = with_prefix(message, "attack ");
    if (attacks.count && !is_legal(message, "pickup")) {
        const char *const best = pick_best(&attacks, gain, message);
        if (gain(best, message) > 0) return best;
    }
    for (size_t number = 0;; number++) {
        const Actions matching = with_prefix(message, prefixes[number]);
        if (matching.count) return pick(&matching, message);
    }
}

// Return the chosen action. All actions in `legal` are allowed.
static const char *choose(const Json *message) {
    const char *const decision = json_text(json_get(message, "view"), "decision");
    if (strcmp(decision, "play") == 0 || strcmp(decision, "finish") == 0) return choose_in_battle_line(message);
    if (strcmp(decision, "turn") == 0) return choose_in_battalion(message);
    const Actions all = with_prefix(message, "");
    return pick(&all, message);
}

static void read_parameters(void) {
    char text[4096];
    FILE *const file = fopen("params.json", "r");
    if (!file) {
        perror("params.json");
        exit(1);
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    Json *const parameters = json_parse(text);
    if (!parameters) exit(1);
    same_colour = json_number(parameters, "same_colour");
    same_number = json_number(parameters, "same_number");
    json_free(parameters);
}

#ifndef TEST
// Read the next line of the arena; NULL at the end.
static Json *read_message(void) {
    static char line[MAX_LINE];
    return fgets(line, sizeof line, stdin) ? json_parse(line) : NULL;
}

int main(void) {
    read_parameters();
    for (Json *message; (message = read_message()); json_free(message)) {
        const char *const type = json_text(message, "type");
        if (strcmp(type, "hello") == 0) {
            start(message);
            puts("{\"type\":\"ready\"}");
            fprintf(stderr, "I play %s on seat %g\n", json_text(message, "game"), json_number(message, "seat"));
        } else if (strcmp(type, "turn") == 0) {
            printf("{\"action\":\"%s\"}\n", choose(message));
        }
        fflush(stdout);
    }
}
#endif
