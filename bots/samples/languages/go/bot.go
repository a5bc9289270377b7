// Plays any legal action of any game: the smallest bot in Go.
package main

import (
	"bufio"
	"encoding/json"
	"math/rand"
	"os"
	"time"
)

type message struct {
	Type  string   `json:"type"`
	Legal []string `json:"legal"`
}

type ready struct {
	Type string `json:"type"`
}

type answer struct {
	Action string `json:"action"`
}

func main() {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var asked message
		if in.Decode(&asked) != nil {
			return
		}
		switch asked.Type {
		case "hello":
			out.Encode(ready{"ready"})
		case "turn":
			out.Encode(answer{asked.Legal[random.Intn(len(asked.Legal))]})
		}
	}
}
