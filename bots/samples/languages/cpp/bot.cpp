// Plays any legal action of any game: the smallest bot in C++.
//
// A message is one line of JSON. This bot looks at nothing but the list of legal actions, and answers with one of its
// strings just as it stands there, quotes included. So a search for the right words does; for more, bring a JSON parser.

#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// The legal actions in a message, as JSON strings.
static std::vector<std::string_view> legal_actions(std::string_view line) {
    constexpr std::string_view key = R"("legal":[)";
    std::vector<std::string_view> actions;
    std::size_t at = line.find(key);
    if (at == line.npos) return actions;
    for (at += key.size(); line[at] == '"';) {
        std::size_t end = at + 1;
        while (line[end] != '"') end += line[end] == '\\' ? 2 : 1;
        actions.push_back(line.substr(at, end + 1 - at));
        at = end + 1;
        if (line[at] == ',') at++;
    }
    return actions;
}

// The whole number after these words in a message; 0 if it doesn't have them.
static unsigned long long number_after(std::string_view line, std::string_view words) {
    const std::size_t at = line.find(words);
    return at == line.npos ? 0 : std::stoull(std::string(line.substr(at + words.size(), 20)));
}

int main() {
    unsigned long long seed = 0;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find(R"("type":"hello")") != line.npos) {
            seed = number_after(line, R"("seed":)");
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (const auto actions = legal_actions(line); !actions.empty()) {
            // The leg's seed and the number of the decision: the same question has the same answer.
            std::mt19937_64 random(seed * 1000003 + number_after(line, R"("n":)"));
            std::uniform_int_distribution<std::size_t> any(0, actions.size() - 1);
            std::cout << R"({"action":)" << actions[any(random)] << "}" << std::endl;
        }
    }
}
