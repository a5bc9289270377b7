// A first bot. It plays both games of the arena: better than by chance, and much worse than you can.
//
// The arena writes one JSON object a line to our stdin, and we answer with one a line on stdout. What we print to
// stderr, by std::cerr, is our private log.
//
// C++ has no JSON. This bot reads two things of a message: its type, and the list of legal actions. They are looked for
// as text, which does as long as nothing else is wanted. For the view, put a JSON parser beside this file: every .cpp
// of the folder is compiled, and every header of it may be included.

#include <cctype>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using Actions = std::vector<std::string>;

static std::mt19937 random_numbers(std::random_device{}());

// Whether a message is of this type: "hello", "turn" or "end".
static bool is_type(std::string_view line, const std::string& type) {
    return line.find("\"type\":\"" + type + "\"") != line.npos;
}

// The strings of the list "legal". They hold letters, digits and marks, and never a quote or a backslash.
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

static Actions beginning_with(const Actions& actions, std::string_view words) {
    Actions found;
    for (const auto& action : actions)
        if (action.starts_with(words)) found.push_back(action);
    return found;
}

static std::string any_of(const Actions& actions) {
    return actions[std::uniform_int_distribution<std::size_t>(0, actions.size() - 1)(random_numbers)];
}

// The number of a troop that is played, "play R7 3" has 7; 0 of other cards.
static int troop_number(const std::string& action) {
    const std::size_t card = std::string_view("play ").size();
    return std::isdigit(static_cast<unsigned char>(action[card + 1])) ? std::stoi(action.substr(card + 1)) : 0;
}

// Claim what we can prove, take up the wounded, and play the highest troops; else by chance. Whatever is picked from the
// legal actions is no fault.
static std::string choose(const Actions& legal) {
    for (const auto* wish : {"claim ", "draw troop", "pickup"})
        if (const auto wished = beginning_with(legal, wish); !wished.empty()) return any_of(wished);
    Actions best;
    int highest = 1;
    for (const auto& action : beginning_with(legal, "play ")) {
        const int number = troop_number(action);
        if (number < highest) continue;
        if (number > highest) best.clear();
        highest = number;
        best.push_back(action);
    }
    return any_of(best.empty() ? legal : best);
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
