// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// std::cerr, is the bot's private log. `json.hpp` reads the messages.

#include "json.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using Actions = std::vector<std::string>;
using Rate = std::function<double(const std::string&)>;

// Approximate values of Battalion's court cards in an attack. Other cards have the value of their number.
static const std::map<std::string, double> card_worth_by_rank{{"A", 11}, {"K", 1}, {"Q", 10}, {"J", 1}};
constexpr double hidden_card_value = 6.5;

// Numbers that `pennant tune` can find better values for.
static Json read_parameters() {
    std::ifstream file("params.json");
    return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}
static const Json parameters = read_parameters();

// The rest of this turn's plan in Battle Line, and the seed of this leg.
static struct {
    long long seed = 1;
    int turn = -1;
    Actions actions;
} plan;

// Begin a leg.
static void start(const Json& hello) {
    plan = {static_cast<long long>(hello["seed"].number()), -1, {}};
}

static int to_int(const Json& number) {
    return static_cast<int>(number.number());
}

static Actions legal_actions(const Json& message) {
    Actions legal;
    for (const Json& action : message["legal"].items()) legal.push_back(action.text());
    return legal;
}

static bool contains(const Actions& actions, const std::string& wanted) {
    return std::find(actions.begin(), actions.end(), wanted) != actions.end();
}

template <typename Keep> static Actions filter(const Actions& actions, Keep keep) {
    Actions kept;
    std::copy_if(actions.begin(), actions.end(), std::back_inserter(kept), keep);
    return kept;
}

static Actions with_prefix(const Actions& actions, std::string_view prefix) {
    return filter(actions, [&](const std::string& action) { return action.starts_with(prefix); });
}

static std::vector<std::string> split(const std::string& action) {
    std::istringstream words(action);
    return {std::istream_iterator<std::string>(words), {}};
}

// Return one of these actions: by chance, but the same whenever this request comes in this leg.
static std::string pick(const Actions& actions, const Json& message) {
    return actions[(plan.seed + to_int(message["n"])) % actions.size()];
}

// Return the actions with the highest rating.
static Actions find_best(const Actions& actions, const Rate& rate) {
    double highest = rate(actions[0]);
    for (const auto& action : actions) highest = std::max(highest, rate(action));
    return filter(actions, [&](const std::string& action) { return rate(action) == highest; });
}

// Return whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`.
static bool is_troop(const std::string& action) {
    const auto words = split(action);
    return words[0] == "play" && words[1].find_first_not_of("0123456789", 1) == std::string::npos;
}

// Return how well a troop fits to our cards at its flag, by colour and by number.
static double rate_fit(const std::string& action, const Json& message) {
    const auto words = split(action);
    const std::string& card = words[1];
    double points = std::stoi(card.substr(1)) / 10.0;
    const Json& flag = message["view"]["flags"].items()[std::stoi(words[2]) - 1];
    for (const Json& other : flag["cards"].items()[to_int(message["seat"])].items()) {
        if (other.text()[0] == card[0]) points += parameters["same_colour"].number();
        if (other.text().substr(1) == card.substr(1)) points += parameters["same_number"].number();
    }
    return points;
}

// Return the actions of a whole turn: claim what can be claimed, play the card that fits best, claim, and draw.
static Actions make_plan(const Json& message, const Actions& legal) {
    Actions actions = with_prefix(legal, "claim ");
    const Actions plays = filter(legal, is_troop);
    const auto rate = [&](const std::string& action) { return rate_fit(action, message); };
    if (!plays.empty()) actions.push_back(pick(find_best(plays, rate), message));
    for (const Json& flag : message["view"]["flags"].items())
        if (flag["owner"].is_null()) actions.push_back("claim " + std::to_string(to_int(flag["flag"])));
    actions.push_back("draw troop");
    return actions;
}

// Follow the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw.
static std::string choose_in_battle_line(const Json& message, const Actions& legal) {
    const int turn = to_int(message["view"]["turn"]);
    if (plan.turn != turn) {
        plan.turn = turn;
        plan.actions = make_plan(message, legal);
    }
    // What isn't possible when its time comes is left out.
    const auto next = std::find_if(
        plan.actions.begin(), plan.actions.end(), [&](const std::string& action) { return contains(legal, action); });
    if (next == plan.actions.end()) return pick(legal, message);
    const std::string chosen = *next;
    plan.actions.erase(plan.actions.begin(), next + 1);
    return chosen;
}

// Return the value of a card: average for a hidden card (?), 0 for an empty cell (null).
static double strength(const Json& card) {
    if (card.is_null()) return 0;
    if (card.text() == "?") return hidden_card_value;
    const auto court = card_worth_by_rank.find(card.text());
    return court == card_worth_by_rank.end() ? std::stoi(card.text()) : court->second;
}

// Pick up the wounded, make the best attack, or else reinforce, modify or pass.
static std::string choose_in_battalion(const Json& message, const Actions& legal) {
    std::map<std::string, Json> cards;
    for (const Json& player : message["view"]["seats"].items()) {
        const std::string seat = std::to_string(to_int(player["seat"])) + ":";
        for (const Json& row : player["rows"].items())
            for (const Json& cell : row.items()) cards[seat + cell["cell"].text()] = cell["card"];
        cards[seat + "g"] = player["guard"]["card"];
    }
    const std::string own = std::to_string(to_int(message["seat"])) + ":";
    const auto gain = [&](const std::string& action) {
        const auto words = split(action);
        return strength(cards[own + words[1]]) - strength(cards[words[2]]);
    };
    const Actions attacks =
        filter(with_prefix(legal, "attack "), [&](const std::string& action) { return gain(action) > 0; });
    if (!attacks.empty() && !contains(legal, "pickup")) return pick(find_best(attacks, gain), message);
    for (const auto* prefix : {"pickup", "reinforce ", "modify", "pass"})
        if (const auto matching = with_prefix(legal, prefix); !matching.empty()) return pick(matching, message);
    return pick(legal, message);
}

// Return the chosen action. All actions in `legal` are allowed.
static std::string choose(const Json& message) {
    const std::string& decision = message["view"]["decision"].text();
    const Actions legal = legal_actions(message);
    if (decision == "play" || decision == "finish") return choose_in_battle_line(message, legal);
    if (decision == "turn") return choose_in_battalion(message, legal);
    return pick(legal, message);
}

#ifndef TEST
int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line);
        const std::string& type = message["type"].text();
        if (type == "hello") {
            start(message);
            std::cout << R"({"type":"ready"})" << std::endl;
            std::cerr << "I play " << message["game"].text() << " on seat " << to_int(message["seat"]) << std::endl;
        } else if (type == "turn") {
            std::cout << R"({"action":")" << choose(message) << R"("})" << std::endl;
        } else if (type == "end") {
            break;
        }
    }
}
#endif
