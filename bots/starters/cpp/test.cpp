// Tests of the bot: `g++ -std=c++20 -DTEST -o .test test.cpp && ./.test` in its folder runs them.
//
// The arena compiles this file, too, but without TEST there is nothing in it.

#ifdef TEST
#include "bot.cpp"

static int failures = 0;

// Tell a mistake, and count it.
static void check(bool holds, const std::string& what) {
    if (holds) return;
    std::cout << "FAILED: " << what << std::endl;
    failures++;
}

// Return a turn of each game as the arena sends it, and in `answer` what the bot says before you change it.
static std::vector<Json> read_turns() {
    std::ifstream file("turns.jsonl");
    std::vector<Json> messages;
    for (std::string line; std::getline(file, line);) messages.push_back(Json::parse(line));
    return messages;
}

static void test_whole_turn() {
    for (const Json& message : read_turns()) {
        if (message["type"].text() == "hello") {
            start(message);
            continue;
        }
        const std::string answer = choose(message), expected = message["answer"].text();
        check(contains(legal_actions(message), answer), answer + " is legal");
        check(answer == expected, answer + " is " + expected);
    }
}

static void test_cards_that_go_together_fit() {
    const Json turn = read_turns().at(1);
    const double colour = rate_fit("play B10 4", turn), number = rate_fit("play Y3 4", turn);
    check(colour > number, "a card of the colour fits best");
    check(number > rate_fit("play R1 4", turn), "a card of the number fits better than any other");
}

static void test_strength_of_cards() {
    const Json cards = Json::parse(R"(["A", "J", "10", "?", null])");
    const std::vector<double> worth{11, 1, 10, 6.5, 0};
    for (std::size_t number = 0; number < worth.size(); number++)
        check(strength(cards.items()[number]) == worth[number], "the strength of " + cards.items()[number].text());
}

static void test_json() {
    const Json value = Json::parse(R"( {"a": [1, -2.5e1, true, null, {}], "b\u00e9\n": "\"\u20ac\\", "c": []} )");
    const auto& list = value["a"].items();
    check(list.size() == 5 && list[1].number() == -25 && list[2].boolean() && list[3].is_null(), "a list");
    check(value["b\u00e9\n"].text() == "\"\u20ac\\", "escapes");
    check(value["c"].items().empty() && value["d"].is_null(), "an empty list, and none");
    for (const auto* wrong : {"", "{", "[1 2]", "{\"a\" 1}", "\"\\u12\"", "\"", "\"\\", "nul", "1 1", "{1: 2}"}) {
        bool is_refused = false;
        try {
            Json::parse(wrong);
        } catch (const std::runtime_error&) {
            is_refused = true;
        }
        check(is_refused, wrong);
    }
}

int main() {
    test_whole_turn();
    test_cards_that_go_together_fit();
    test_strength_of_cards();
    test_json();
    if (!failures) std::cout << "ok" << std::endl;
    return failures != 0;
}
#endif
