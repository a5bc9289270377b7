// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// std::cerr, is the bot's private log.
//
// C++ has no JSON parser. This bot needs only the type of a message and the list of legal actions, which it finds as
// text. To read the view, add a JSON parser to this folder: all its .cpp files are compiled.

#include <cctype>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using Actions = std::vector<std::string>;

static std::mt19937 random_numbers(std::random_device{}());

// Return whether a message has this type: "hello", "turn" or "end".
static bool is_type(std::string_view line, const std::string& type) {
    return line.find("\"type\":\"" + type + "\"") != line.npos;
}

// Return the strings of the list "legal", which never contain quotes or backslashes.
static Actions legal_actions(std::string_view line) {
    constexpr std::string_view key = "\"legal\":[";
    Actions actions;
    std::size_t at = line.find(key);
    if (at == line.npos) return actions;
    at += key.size();
    while (at < line.size() && line[at] == '"') {
        const std::size_t end = line.find('"', at + 1);
        if (end == line.npos) break;
        actions.emplace_back(line.substr(at + 1, end - at - 1));
        at = end + 1;
        if (at < line.size() && line[at] == ',') at++;
    }
    return actions;
}

static Actions with_prefix(const Actions& actions, std::string_view prefix) {
    Actions found;
    for (const auto& action : actions)
        if (action.starts_with(prefix)) found.push_back(action);
    return found;
}

static std::string choose_random(const Actions& actions) {
    return actions[std::uniform_int_distribution<std::size_t>(0, actions.size() - 1)(random_numbers)];
}

// Return the number of the troop that is played, 7 for "play R7 3"; 0 for other cards.
static int troop_number(const std::string& action) {
    const std::size_t card = std::string_view("play ").size();
    return std::isdigit(static_cast<unsigned char>(action[card + 1])) ? std::stoi(action.substr(card + 1)) : 0;
}

// Claim a flag, draw a troop or pick up the wounded if possible, else play one of the highest troops, else choose at
// random.
static std::string choose(const Actions& legal) {
    for (const auto* prefix : {"claim ", "draw troop", "pickup"})
        if (const auto matching = with_prefix(legal, prefix); !matching.empty()) return choose_random(matching);
    Actions best;
    int highest = 1;
    for (const auto& action : with_prefix(legal, "play ")) {
        const int number = troop_number(action);
        if (number < highest) continue;
        if (number > highest) best.clear();
        highest = number;
        best.push_back(action);
    }
    return choose_random(best.empty() ? legal : best);
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        if (is_type(line, "hello")) {
            std::cout << R"({"type":"ready"})" << std::endl;
            std::cerr << "ready" << std::endl;
        } else if (is_type(line, "end")) {
            break;
        } else if (const auto legal = legal_actions(line); !legal.empty()) {
            std::cout << R"({"action":")" << choose(legal) << R"("})" << std::endl;
        }
    }
}
