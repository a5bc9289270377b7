// The messages between the arena and a bot, for each game. Written by the arena from the schemas that it checks
// them against; its manual describes every field.

export namespace BattleLine {
  /** The first message to a bot, once per leg. The answer is `ready`. */
  interface Hello {
    /** The kind of message. */
    type: "hello";
    /** The protocol version. */
    protocol: 1;
    /** Minor version, raised when messages get new keys. */
    minor: number;
    /** The game's key. */
    game: string;
    /** The edition's key. */
    edition: string;
    /** Every rule option in force. */
    options: Options;
    /** The bot's seat in this leg, from 0. */
    seat: number;
    /** How many seats play. */
    seats: number;
    /** SHA-256 of the deal and its salt, in hex. */
    deal_hash: string;
    /** What the bot can use in this leg. */
    limits: { start_ms: number; move_ms: number; bank_ms: number; memory_mb: number };
    /** A seed for the bot's own randomness, different for every leg and seat. */
    seed: number;
  }

  /** A request for one decision. The answer is `answer`. */
  interface Turn {
    /** The kind of message. */
    type: "turn";
    /** The number of earlier decisions in the leg, of all seats, including those without a choice. */
    n: number;
    /** The seat to decide: the bot's own. */
    seat: number;
    /** Everything the seat can see; left out for a bot that sent `"view": false`. */
    view?: View;
    /** Every legal action once, or examples if `open` is present; left out for a bot that sent `"legal": false`. */
    legal?: string[];
    /** Only if there are too many legal actions to list: the syntax of the others. */
    open?: string;
    /** What happened since the bot's last message. */
    events: Event[];
    /** Milliseconds left in the bank. */
    bank_ms: number;
  }

  /** Only for remote bots: the last answer was refused, and the same request follows again. It has no answer, and a bot can ignore it. */
  interface Refused {
    /** The kind of message. */
    type: "refused";
    /** The number of the refused turn; 0 for a refused `ready`. */
    n: number;
    /** What was wrong with the answer, as a sentence. */
    reason: string;
  }

  /** The last message. It has no answer; the bot exits within a second, or within 50 ms if another leg of the match follows. */
  interface End {
    /** The kind of message. */
    type: "end";
    /** Each seat's place: 1 is first; equal seats share a place. */
    places: number[];
    /** Each seat's score. */
    scores: number[];
    /** How the leg ended: one of the game's words, or the verdict that ended it. */
    reason: string;
    /** Each seat's verdict. */
    verdicts: Verdict[];
    /** What happened since the bot's last message. */
    events: Event[];
  }

  /** The bot's answer to `hello`. Other fields are ignored. */
  interface Ready {
    /** The kind of message. */
    type: "ready";
    /** If false, requests come without `legal`. */
    legal?: boolean;
    /** If false, requests come without `view`. */
    view?: boolean;
    /** If true, a process started in the middle of a leg is first asked its earlier turns again. */
    stateful?: boolean;
  }

  /** The bot's answer to `turn`. Other fields are ignored. */
  interface Answer {
    /** One of the legal actions, or one that fits the open grammar. */
    action: string;
    /** Shown next to the turn in the replay. */
    note?: string;
    /** The bot's own estimate, from -1 (lost) to 1 (won). */
    eval?: number;
  }

  /** A seat is eliminated by a fault, or a person leaves. */
  interface ForfeitEvent {
    /** The seat that is out. */
    seat: number;
    /** The action. */
    action: "forfeit";
    /** The bot's fault. */
    verdict?: Fault;
    /** How a person left. */
    reason?: "resigned" | "abandoned";
  }

  /** `ok`, or the fault that lost the leg. */
  type Verdict = "ok" | "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** The fault that cost a seat the leg. */
  type Fault = "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** Everything the seat can see before its decision. */
  interface View {
    /** What to decide: `play` a card at the start of a turn, `finish` it with claims and a draw, draw a card for `scout`, `return` a card to a deck, discard a troop for the tile `marshes` or `watchtower`, `draft` a tile, or `lay` one. */
    decision: "play" | "finish" | "scout" | "return" | "marshes" | "watchtower" | "draft" | "lay";
    /** Both seats' turns, counted from 1; 0 while tiles are drafted and placed. */
    turn: number;
    /** The seat that is asked. */
    to_move: Seat;
    /** The seat's own cards. */
    hand: Card[];
    /** The number of cards in each seat's hand. */
    hand_sizes: PairOfCounts;
    /** For each seat, how many cards from each deck its hand has, as their backs show. */
    hand_backs: [DeckCounts, DeckCounts];
    /** The number of cards left in each deck. */
    decks: { troop: number; tactic: number };
    /** The row of flags, in order. */
    flags: Flag[];
    /** For each seat, the tactics it has played, in order. */
    tactics_played: PairOfCardLists;
    /** For each seat, the troops and morale cards removed from its side. */
    discards: PairOfCardLists;
    /** For each seat, whether it has played a leader. */
    leader_played: [boolean, boolean];
    /** Hidden cards the seat knows: those it put back, and a King dealt to the other seat. */
    known: KnownCard[];
    /** Only with the option `claims` set to `either`: whether the seat to move claimed before playing in this turn. */
    claimed_this_turn?: boolean;
    /** Only for the decision `return`. */
    returning?: { from: "scout" | "fields"; left: number };
    /** Only for the decision `watchtower`: the flag that was claimed. */
    at?: FlagNumber;
    /** Only for the decisions `draft` and `lay`. */
    draft?: { choices: Tile[]; tiles: Tile[] };
    /** Only for the decisions `draft` and `lay`: the tiles already placed, from flag 1. */
    row?: LaidTile[];
  }

  /** A flag, and the two sides in front of it. */
  interface Flag {
    /** The flag's number in the row, the same for both seats. */
    flag: FlagNumber;
    /** The seat that has won the flag, or null. */
    owner: Seat | null;
    /** For each seat, the cards on its side, in the order placed. */
    cards: PairOfCardLists;
    /** For each seat, the number of cards that complete its side. */
    needs: PairOfCounts;
    /** The seat that placed the latest card still here; null without cards. */
    last: Seat | null;
    /** Whether Fog is here, so that only the total counts. */
    fog: boolean;
    /** Whether Mud is here, so that each side needs one more card. */
    mud: boolean;
    /** The seat that played Fog here; null without it. */
    fog_by: Seat | null;
    /** The seat that played Mud here; null without it. */
    mud_by: Seat | null;
    /** The tile in force here; null if there is none, or it is face down. */
    tile: Tile | null;
  }

  /** Numbers of cards. */
  interface DeckCounts {
    /** Cards with a troop's back. */
    troop: number;
    /** Cards with a tactic's back. */
    tactic: number;
  }

  /** A hidden card the seat knows. It is in one of these places. */
  interface KnownCard {
    /** The card. */
    card: Card;
    /** Whether it might be in the other seat's hand. It is there if `in_deck` is empty. */
    in_hand: boolean;
    /** The deck positions where it might be; 1 is drawn next. */
    in_deck: number[];
  }

  /** A tile that has been placed. */
  interface LaidTile {
    /** The tile; null if the other seat placed it face down. */
    tile: Tile | null;
    /** Whether it is face up. */
    up: boolean;
  }

  /** An action, or something else that happened. */
  type Event = ActionEvent | ClaimEvent | HiddenReturnEvent | DealEvent | DrawEvent | TilesEvent | PacketEvent | AwardEvent | ForfeitEvent;

  /** A seat's action, including your own and those without a choice. Words the reader can't know are `?`. */
  interface ActionEvent {
    /** The seat that acted. */
    seat: Seat;
    /** The action as it was sent. */
    action: string;
  }

  /** A claim, and the formation that won the flag. */
  interface ClaimEvent {
    /** The seat that claimed. */
    seat: Seat;
    /** `claim` and the flag's number. */
    action: string;
    /** The kind of the winning formation; `host` also under Fog and Woodland. */
    formation: "wedge" | "phalanx" | "battalion" | "skirmish" | "host";
    /** The sum of its cards. */
    sum: number;
    /** What each card stood for, in the order placed; an ignored card is left out, and a free wild card takes the first colour. */
    as: Troop[];
  }

  /** The other seat returned a card. */
  interface HiddenReturnEvent {
    /** The seat that returned a card. */
    seat: Seat;
    /** The card is hidden. */
    action: "return ?";
    /** The deck the card is now on. */
    deck: Deck;
  }

  /** The seat's own hand at the start. */
  interface DealEvent {
    /** The kind of event. */
    event: "deal";
    /** The reader's own seat. */
    seat: Seat;
    /** The cards dealt. */
    hand: Card[];
  }

  /** A card was drawn. */
  interface DrawEvent {
    /** The seat that drew. */
    seat: Seat;
    /** The kind of event. */
    event: "draw";
    /** The deck drawn from. */
    deck: Deck;
    /** The card; only for the seat that drew it. */
    card?: Card;
  }

  /** With shuffled tiles: the tiles at the flags, at the start of the leg. */
  interface TilesEvent {
    /** The kind of event. */
    event: "tiles";
    /** The tiles from flag 1 to 9. */
    row: Tile[];
  }

  /** With drafted tiles: the tiles to pick from next, or the one set aside. */
  interface PacketEvent {
    /** The kind of event. */
    event: "packet";
    /** The tiles. */
    choices: Tile[];
  }

  /** A seat is awarded a flag after two passes in a row (BL-24). */
  interface AwardEvent {
    /** The kind of event. */
    event: "award";
    /** The seat that gets the flag. */
    seat: Seat;
    /** The flag's number. */
    flag: FlagNumber;
  }

  /** The number of a seat. */
  type Seat = number;

  /** The number of a flag. */
  type FlagNumber = number;

  /** One of the two decks. */
  type Deck = "troop" | "tactic";

  /** A letter for the colour or suit, then the value: `R10`. */
  type Troop = string;

  /** A troop, or the name of a tactic. */
  type Card = string;

  /** The name of a tile. */
  type Tile = "castle" | "marshes" | "river" | "watchtower" | "town" | "fields" | "fortress" | "hills" | "woodland";

  /** A number for each seat. */
  type PairOfCounts = [number, number];

  /** A list of cards for each seat. */
  type PairOfCardLists = [Card[], Card[]];

  /** Every rule option in force. */
  interface Options {
    /** The colours or suits of the troops. */
    colours: "ROYGBP" | "SHDC";
    /** How many of each troop the deck has. */
    copies: 1 | 2;
    /** How many flags are in the row between the players. */
    flags: 9 | 5 | 7;
    /** How many flags, anywhere in the row, win immediately. */
    envelopment: 5 | 3;
    /** Whether three adjacent flags win immediately. */
    breakthrough: true | false;
    /** The cards of the second deck. */
    tactics: 10 | 12 | 0;
    /** When in a turn flags can be claimed. */
    claims: "any" | "start" | "either";
    /** Whether each player can play one leader or both. */
    leader_limit: true | false;
    /** When a player can pass. */
    pass: "no-troop" | "no-card";
    /** The nine tiles that change the rules at their flags. */
    tiles: "none" | "shuffled" | "drafted";
    /** How the Scout's cards are drawn. */
    scout: "one-by-one" | "at-once";
    /** How many troops each colour has. */
    values: 10 | 9;
    /** How many cards each player is dealt and draws back up to. */
    hand: 7 | 6;
  }

}

export namespace Battalion {
  /** The first message to a bot, once per leg. The answer is `ready`. */
  interface Hello {
    /** The kind of message. */
    type: "hello";
    /** The protocol version. */
    protocol: 1;
    /** Minor version, raised when messages get new keys. */
    minor: number;
    /** The game's key. */
    game: string;
    /** The edition's key. */
    edition: string;
    /** Every rule option in force. */
    options: Options;
    /** The bot's seat in this leg, from 0. */
    seat: number;
    /** How many seats play. */
    seats: number;
    /** SHA-256 of the deal and its salt, in hex. */
    deal_hash: string;
    /** What the bot can use in this leg. */
    limits: { start_ms: number; move_ms: number; bank_ms: number; memory_mb: number };
    /** A seed for the bot's own randomness, different for every leg and seat. */
    seed: number;
  }

  /** A request for one decision. The answer is `answer`. */
  interface Turn {
    /** The kind of message. */
    type: "turn";
    /** The number of earlier decisions in the leg, of all seats, including those without a choice. */
    n: number;
    /** The seat to decide: the bot's own. */
    seat: number;
    /** Everything the seat can see; left out for a bot that sent `"view": false`. */
    view?: View;
    /** Every legal action once, or examples if `open` is present; left out for a bot that sent `"legal": false`. */
    legal?: string[];
    /** Only if there are too many legal actions to list: the syntax of the others. */
    open?: string;
    /** What happened since the bot's last message. */
    events: Event[];
    /** Milliseconds left in the bank. */
    bank_ms: number;
  }

  /** Only for remote bots: the last answer was refused, and the same request follows again. It has no answer, and a bot can ignore it. */
  interface Refused {
    /** The kind of message. */
    type: "refused";
    /** The number of the refused turn; 0 for a refused `ready`. */
    n: number;
    /** What was wrong with the answer, as a sentence. */
    reason: string;
  }

  /** The last message. It has no answer; the bot exits within a second, or within 50 ms if another leg of the match follows. */
  interface End {
    /** The kind of message. */
    type: "end";
    /** Each seat's place: 1 is first; equal seats share a place. */
    places: number[];
    /** Each seat's score. */
    scores: number[];
    /** How the leg ended: one of the game's words, or the verdict that ended it. */
    reason: string;
    /** Each seat's verdict. */
    verdicts: Verdict[];
    /** What happened since the bot's last message. */
    events: Event[];
  }

  /** The bot's answer to `hello`. Other fields are ignored. */
  interface Ready {
    /** The kind of message. */
    type: "ready";
    /** If false, requests come without `legal`. */
    legal?: boolean;
    /** If false, requests come without `view`. */
    view?: boolean;
    /** If true, a process started in the middle of a leg is first asked its earlier turns again. */
    stateful?: boolean;
  }

  /** The bot's answer to `turn`. Other fields are ignored. */
  interface Answer {
    /** One of the legal actions, or one that fits the open grammar. */
    action: string;
    /** Shown next to the turn in the replay. */
    note?: string;
    /** The bot's own estimate, from -1 (lost) to 1 (won). */
    eval?: number;
  }

  /** A seat is eliminated by a fault, or a person leaves. */
  interface ForfeitEvent {
    /** The seat that is out. */
    seat: number;
    /** The action. */
    action: "forfeit";
    /** The bot's fault. */
    verdict?: Fault;
    /** How a person left. */
    reason?: "resigned" | "abandoned";
  }

  /** `ok`, or the fault that lost the leg. */
  type Verdict = "ok" | "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** The fault that cost a seat the leg. */
  type Fault = "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** Everything the seat can see before its decision. */
  interface View {
    /** What to decide: `deploy` all cards, or an action in a `turn`. */
    decision: "deploy" | "turn";
    /** Rounds, counted from 1; 0 while anyone deploys. */
    round: number;
    /** Whole rounds in a row without a card's death. */
    quiet: number;
    /** The seat to decide. */
    to_move: Seat;
    /** Every seat, in order. */
    seats: Side[];
    /** The seat attacked in the last turn taken by another seat, even if it is out; else null. */
    last_attacked: Seat | null;
    /** The cells of the cards that moved in this turn. */
    moved: Cell[];
    /** Whether the wounded were picked up in this turn. */
    picked_up: boolean;
  }

  /** What the reader can see of a seat. */
  interface Side {
    /** Whose cards these are. */
    seat: Seat;
    /** Whether the seat is out. */
    out: boolean;
    /** The formation's rows, from the front; empty before deployment and for a seat that is out. */
    rows: Rows;
    /** The guard cell; null without a formation. */
    guard: Guard | null;
    /** The seat's hand; only for the reader's own seat. */
    hand?: Cards;
    /** The number of cards in the hand. */
    hand_size: number;
    /** The wounded, face up, in order of arrival. */
    wounded: Cards;
    /** The dead, face up, in order of arrival. */
    dead: Cards;
    /** The opposing cards that count as this seat's kills (BT-42). */
    kills: number;
    /** What is added to the seat's cards in combat; null while the die can be rolled. 0 is in force too. */
    modification: number | null;
    /** In how many of its own turns it is still in force, including the current one; 0 without a modification. */
    modification_left: number;
    /** Whether the seat has reformed. */
    reformed: boolean;
  }

  /** Rows of cells, from the front. */
  type Rows = Place[][];

  /** A cell of a formation. */
  interface Place {
    /** The row's number from the front and a letter from the left. */
    cell: Cell;
    /** The horizontal position, in half-columns. */
    x: number;
    /** The card; `?` if hidden from the reader, null in an empty cell. */
    card: SeenCard | null;
    /** Whether the card is shown to all. */
    shown: boolean;
  }

  /** The guard cell. */
  interface Guard {
    /** The card; `?` if hidden from the reader, null in an empty cell. */
    card: SeenCard | null;
    /** Whether the card is shown to all. */
    shown: boolean;
  }

  /** An action, or something else that happened. */
  type Event = ActionEvent | AttackEvent | RollEvent | OutEvent | ForfeitEvent;

  /** A seat's action, including your own and those without a choice. Cards the reader can't know are `?`. */
  interface ActionEvent {
    /** The seat that acted. */
    seat: Seat;
    /** The action; deployments and reforms as they were sent. */
    action: string;
  }

  /** An attack and its result. */
  interface AttackEvent {
    /** The seat that attacked. */
    seat: Seat;
    /** `attack`, the cell, and the attacked cell with its seat. */
    action: string;
    /** The attacking card. */
    attacker: Card;
    /** The attacked card; null for an empty guard cell. */
    target: Card | null;
    /** The two compared values, the attacker's first; only if values are compared. */
    values?: [number, number];
    /** The attacker `wins` or `loses`, or it's a `tie`; a Jack's `look`; a King's `strike`, by which both die; or the `emperor` behind an empty guard cell dies. */
    result: "wins" | "loses" | "tie" | "look" | "strike" | "emperor";
  }

  /** The die was rolled for a modification. */
  interface RollEvent {
    /** The seat that rolled. */
    seat: Seat;
    /** The action. */
    action: "modify";
    /** The number rolled. */
    roll: number;
  }

  /** An emperor died: the seat is out, and all its cards are shown as they were before they were removed. */
  interface OutEvent {
    /** The kind of event. */
    event: "out";
    /** The seat that is out. */
    seat: Seat;
    /** All the seat's cards. */
    cards: { rows: Rows; guard: Guard | null; hand: Cards; wounded: Cards; dead: Cards };
  }

  /** The number of a seat. */
  type Seat = number;

  /** The row's number from the front and a letter from the left, or `g` for the guard cell. */
  type Cell = string;

  /** A card's value: each seat has one of each. */
  type Card = "A" | "K" | "Q" | "J" | "10" | "9" | "8" | "7" | "6" | "5" | "4" | "3" | "2";

  /** A card's value, or `?`. */
  type SeenCard = "A" | "K" | "Q" | "J" | "10" | "9" | "8" | "7" | "6" | "5" | "4" | "3" | "2" | "?";

  /** A list of cards. */
  type Cards = Card[];

  /** Every rule option in force. */
  interface Options {
    /** The leg ends after this many whole rounds in a row without a death. */
    quiet_rounds: number;
    /** The leg ends after this many whole rounds at the latest. */
    round_limit: number;
    /** Which seat moves first once everyone has deployed. */
    start: "seat-0" | "lot";
  }

}
