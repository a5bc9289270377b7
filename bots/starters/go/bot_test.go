// Tests of the bot: `go test` in its folder runs them.
package main

import (
	"bufio"
	"os"
	"testing"
)

// readTurns reads a turn of each game as the arena sends it, and in Answer what the bot says before you change it.
func readTurns(t *testing.T) []expected {
	readParameters()
	file, err := os.Open("turns.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var messages []expected
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one expected
		read(lines.Bytes(), &one)
		messages = append(messages, one)
	}
	return messages
}

type expected struct {
	message
	Answer string
}

func TestWholeTurn(t *testing.T) {
	for _, one := range readTurns(t) {
		if one.Type == "hello" {
			start(one.message)
			continue
		}
		answer := choose(one.message)
		if !contains(one.Legal, answer) {
			t.Errorf("%s is illegal", answer)
		}
		if answer != one.Answer {
			t.Errorf("%s instead of %s", answer, one.Answer)
		}
	}
}

func TestCardsThatGoTogetherFit(t *testing.T) {
	turn := readTurns(t)[1].message
	colour, number, other := rateFit("play B10 4", turn), rateFit("play Y3 4", turn), rateFit("play R1 4", turn)
	if colour <= number || number <= other {
		t.Error(colour, number, other)
	}
}

func TestStrengthOfCards(t *testing.T) {
	for card, worth := range map[string]float64{"A": 11, "J": 1, "10": 10, "?": 6.5} {
		if strength(&card) != worth {
			t.Error(card, strength(&card))
		}
	}
	if strength(nil) != 0 {
		t.Error("an empty cell has a strength")
	}
}
