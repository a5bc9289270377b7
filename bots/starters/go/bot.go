// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// the package log, is the bot's private log.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
)

// cardWorthByRank has approximate values of Battalion's court cards in an attack. Other cards have the value of their
// number.
var cardWorthByRank = map[string]float64{"A": 11, "K": 1, "Q": 10, "J": 1}

const hiddenCardValue = 6.5

// parameters are numbers that `pennant tune` can find better values for.
var parameters struct {
	SameColour float64 `json:"same_colour"`
	SameNumber float64 `json:"same_number"`
}

// message has what this bot reads of `hello` and `turn`, for both games.
type message struct {
	Type  string
	Game  string
	Seed  int64
	N     int64
	Seat  int
	Legal []string
	View  view
}

type view struct {
	Decision string
	// Battle Line
	Turn  int
	Flags []struct {
		Flag  int
		Owner *int
		Cards [][]string
	}
	// Battalion
	Seats []struct {
		Seat  int
		Rows  [][]cell
		Guard *cell
	}
}

type cell struct {
	Cell string
	Card *string
}

// plan is the rest of this turn's plan in Battle Line, and the seed of this leg.
var plan struct {
	seed    int64
	turn    int
	actions []string
}

// start begins a leg.
func start(hello message) {
	plan.seed, plan.turn, plan.actions = hello.Seed, -1, nil
}

// choose returns the chosen action. All actions in Legal are allowed.
func choose(m message) string {
	switch m.View.Decision {
	case "play", "finish":
		return chooseInBattleLine(m)
	case "turn":
		return chooseInBattalion(m)
	}
	return pick(m.Legal, m)
}

// pick returns one of these actions: by chance, but the same whenever this request comes in this leg.
func pick(actions []string, m message) string {
	return actions[(plan.seed+m.N)%int64(len(actions))]
}

// filter returns the actions for which a function is true.
func filter(actions []string, keep func(string) bool) []string {
	var kept []string
	for _, action := range actions {
		if keep(action) {
			kept = append(kept, action)
		}
	}
	return kept
}

func withPrefix(actions []string, prefix string) []string {
	return filter(actions, func(action string) bool { return strings.HasPrefix(action, prefix) })
}

func contains(actions []string, wanted string) bool {
	return len(filter(actions, func(action string) bool { return action == wanted })) > 0
}

// findBest returns the actions with the highest rating.
func findBest(actions []string, rate func(string) float64) []string {
	highest := rate(actions[0])
	for _, action := range actions {
		if points := rate(action); points > highest {
			highest = points
		}
	}
	return filter(actions, func(action string) bool { return rate(action) == highest })
}

// chooseInBattleLine follows the plan of this turn. A turn is several decisions: claims, a card, more claims, and a
// draw.
func chooseInBattleLine(m message) string {
	if plan.turn != m.View.Turn {
		plan.turn, plan.actions = m.View.Turn, makePlan(m)
	}
	for number, action := range plan.actions {
		if contains(m.Legal, action) { // what isn't possible when its time comes is left out
			plan.actions = plan.actions[number+1:]
			return action
		}
	}
	return pick(m.Legal, m)
}

// makePlan returns the actions of a whole turn: claim what can be claimed, play the card that fits best, claim, and
// draw.
func makePlan(m message) []string {
	actions := withPrefix(m.Legal, "claim ")
	if plays := filter(m.Legal, isTroop); len(plays) > 0 {
		best := findBest(plays, func(action string) float64 { return rateFit(action, m) })
		actions = append(actions, pick(best, m))
	}
	for _, flag := range m.View.Flags {
		if flag.Owner == nil {
			actions = append(actions, fmt.Sprint("claim ", flag.Flag))
		}
	}
	return append(actions, "draw troop")
}

// isTroop returns whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`.
func isTroop(action string) bool {
	words := strings.Fields(action)
	if words[0] != "play" {
		return false
	}
	_, err := strconv.Atoi(words[1][1:])
	return err == nil
}

// rateFit returns how well a troop fits to our cards at its flag, by colour and by number.
func rateFit(action string, m message) float64 {
	words := strings.Fields(action)
	card := words[1]
	number, _ := strconv.Atoi(card[1:])
	flag, _ := strconv.Atoi(words[2])
	points := float64(number) / 10
	for _, other := range m.View.Flags[flag-1].Cards[m.Seat] {
		if other[0] == card[0] {
			points += parameters.SameColour
		}
		if other[1:] == card[1:] {
			points += parameters.SameNumber
		}
	}
	return points
}

// chooseInBattalion picks up the wounded, makes the best attack, or else reinforces, modifies or passes.
func chooseInBattalion(m message) string {
	cards := map[string]*string{}
	for _, player := range m.View.Seats {
		for _, row := range player.Rows {
			for _, one := range row {
				cards[fmt.Sprintf("%d:%s", player.Seat, one.Cell)] = one.Card
			}
		}
		if player.Guard != nil {
			cards[fmt.Sprintf("%d:g", player.Seat)] = player.Guard.Card
		}
	}
	gain := func(action string) float64 {
		words := strings.Fields(action)
		return strength(cards[fmt.Sprintf("%d:%s", m.Seat, words[1])]) - strength(cards[words[2]])
	}
	attacks := filter(withPrefix(m.Legal, "attack "), func(action string) bool { return gain(action) > 0 })
	if len(attacks) > 0 && !contains(m.Legal, "pickup") {
		return pick(findBest(attacks, gain), m)
	}
	for _, prefix := range []string{"pickup", "reinforce ", "modify", "pass"} {
		if matching := withPrefix(m.Legal, prefix); len(matching) > 0 {
			return pick(matching, m)
		}
	}
	return pick(m.Legal, m)
}

// strength returns the value of a card: average for a hidden card (?), 0 for an empty cell (nil).
func strength(card *string) float64 {
	if card == nil {
		return 0
	}
	if *card == "?" {
		return hiddenCardValue
	}
	if worth, found := cardWorthByRank[*card]; found {
		return worth
	}
	number, _ := strconv.Atoi(*card)
	return float64(number)
}

// read parses JSON. The arena writes nothing else, so a mistake ends the bot.
func read(text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		log.Fatal(err)
	}
}

func readParameters() {
	text, err := os.ReadFile("params.json")
	if err != nil {
		log.Fatal(err)
	}
	read(text, &parameters)
}

func main() {
	readParameters()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		read(lines.Bytes(), &m)
		switch m.Type {
		case "hello":
			start(m)
			fmt.Println(`{"type":"ready"}`)
			log.Println("I play", m.Game, "on seat", m.Seat)
		case "turn":
			answer, _ := json.Marshal(map[string]string{"action": choose(m)})
			fmt.Println(string(answer))
		case "end":
			return
		}
	}
}
