// Plays any legal action of any game: the smallest bot in Go.
package main

import (
	"bufio"
	"encoding/json"
	"math/rand"
	"os"
)

type message struct {
	Type  string   `json:"type"`
	Legal []string `json:"legal"`
	Seed  int64    `json:"seed"`
	N     int64    `json:"n"`
}

type ready struct {
	Type string `json:"type"`
}

type answer struct {
	Action string `json:"action"`
}

func main() {
	var seed int64
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var asked message
		if in.Decode(&asked) != nil {
			return
		}
		switch asked.Type {
		case "hello":
			seed = asked.Seed
			out.Encode(ready{"ready"})
		case "turn":
			// The leg's seed and the number of the decision: the same question has the same answer.
			random := rand.New(rand.NewSource(seed*1000003 + asked.N))
			out.Encode(answer{asked.Legal[random.Intn(len(asked.Legal))]})
		}
	}
}
