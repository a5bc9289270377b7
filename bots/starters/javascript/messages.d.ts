// The messages between the arena and a bot, for each game. Written by the arena from the schemas that it checks
// them against; its manual describes every field.

export namespace BattleLine {
  /** The first message to a bot, once in a leg. The answer is `ready`. */
  interface Hello {
    /** The kind of the message. */
    type: "hello";
    /** The version of the protocol. */
    protocol: 1;
    /** The minor version: it is raised when messages get new keys. */
    minor: number;
    /** The game's key. */
    game: string;
    /** The edition's key. */
    edition: string;
    /** Every rule option in force. */
    options: Options;
    /** The bot's seat in this leg, from 0. */
    seat: number;
    /** How many play. */
    seats: number;
    /** The SHA-256 of the deal and its salt, in hex. */
    deal_hash: string;
    /** What the bot may use in this leg. */
    limits: { start_ms: number; move_ms: number; bank_ms: number; memory_mb: number };
    /** A number for the bot's own chance, another for every leg and seat. */
    seed: number;
  }

  /** A request for one decision. The answer is `answer`. */
  interface Turn {
    /** The kind of the message. */
    type: "turn";
    /** The number of decisions before this one in the leg, of all seats, those without a choice included. */
    n: number;
    /** The seat that is asked: the bot's own. */
    seat: number;
    /** All that the seat may see; left out for a bot that said `"view": false`. */
    view?: View;
    /** Every legal action once, or examples where `open` is there; left out for a bot that said `"legal": false`. */
    legal?: string[];
    /** Only where there are too many legal actions to list: the syntax of the others. */
    open?: string;
    /** What has happened since the bot's last message. */
    events: Event[];
    /** Milliseconds that are left of the bank. */
    bank_ms: number;
  }

  /** The last message. Nothing is answered; the bot exits within a second, and within 50 ms where another leg of the match follows. */
  interface End {
    /** The kind of the message. */
    type: "end";
    /** The place of each seat: 1 is first, equal ones are shared. */
    places: number[];
    /** The score of each seat. */
    scores: number[];
    /** How the leg ended: a word of the game, or the verdict that ended it. */
    reason: string;
    /** The verdict of each seat. */
    verdicts: Verdict[];
    /** What has happened since the bot's last message. */
    events: Event[];
  }

  /** The bot's answer to `hello`. Other fields are ignored. */
  interface Ready {
    /** The kind of the message. */
    type: "ready";
    /** False: requests come without `legal`. */
    legal?: boolean;
    /** False: requests come without `view`. */
    view?: boolean;
    /** True: where a new process is started in the middle of a leg, it is first asked its earlier turns again. */
    stateful?: boolean;
  }

  /** The bot's answer to `turn`. Other fields are ignored. */
  interface Answer {
    /** One of the legal actions, or one of the open grammar. */
    action: string;
    /** What the replay shows beside the turn. */
    note?: string;
    /** The bot's own estimate: -1 is lost, 1 is won. */
    eval?: number;
  }

  /** A seat goes out by a fault, or a person leaves. */
  interface ForfeitEvent {
    /** Who goes out. */
    seat: number;
    /** The action. */
    action: "forfeit";
    /** The fault of a bot. */
    verdict?: Fault;
    /** How a person left. */
    reason?: "resigned" | "abandoned";
  }

  /** `ok`, or the fault by which the seat lost. */
  type Verdict = "ok" | "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** The fault by which a seat lost. */
  type Fault = "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** All that the seat may see before its decision. */
  interface View {
    /** What is decided: `play` a card at the start of a turn, `finish` it by claims and a draw, draw a card of a `scout`, `return` a card to a deck, remove a card at the tile `marshes` or `watchtower`, `draft` a tile, or `lay` one. */
    decision: "play" | "finish" | "scout" | "return" | "marshes" | "watchtower" | "draft" | "lay";
    /** Turns of both seats, counted from 1; 0 while tiles are drafted and laid. */
    turn: number;
    /** The seat that is asked. */
    to_move: Seat;
    /** The seat's own cards. */
    hand: Card[];
    /** The number of cards in each seat's hand. */
    hand_sizes: PairOfCounts;
    /** For each seat, how many cards of each deck are in its hand, as their backs show. */
    hand_backs: [DeckCounts, DeckCounts];
    /** The number of cards left in each deck. */
    decks: { troop: number; tactic: number };
    /** The row of flags, in order. */
    flags: Flag[];
    /** For each seat, every tactic it has played, in order. */
    tactics_played: PairOfCardLists;
    /** For each seat, the troops and morale cards that were removed from its side. */
    discards: PairOfCardLists;
    /** For each seat, whether it has played a leader. */
    leader_played: [boolean, boolean];
    /** The hidden cards that the seat knows of: those it put back itself, and a King that was dealt to the other seat. */
    known: KnownCard[];
    /** Only with the option `claims` set to `either`: whether the seat to move claimed before it played in this turn. */
    claimed_this_turn?: boolean;
    /** Only for the decision `return`. */
    returning?: { from: "scout" | "fields"; left: number };
    /** Only for the decision `watchtower`: the flag that was claimed. */
    at?: FlagNumber;
    /** Only for the decisions `draft` and `lay`. */
    draft?: { choices: Tile[]; tiles: Tile[] };
    /** Only for the decisions `draft` and `lay`: the tiles that are laid, from flag 1 on. */
    row?: LaidTile[];
  }

  /** A flag, and the two sides in front of it. */
  interface Flag {
    /** The flag's number in the row, the same for both seats. */
    flag: FlagNumber;
    /** The seat that has won the flag; null while it is free. */
    owner: Seat | null;
    /** For each seat, the cards on its side in the order in which they were placed. */
    cards: PairOfCardLists;
    /** For each seat, the number of cards that completes its side. */
    needs: PairOfCounts;
    /** The seat that placed the latest of the cards still lying here; null if none lies here. */
    last: Seat | null;
    /** Whether Fog lies here, so that only sums count. */
    fog: boolean;
    /** Whether Mud lies here, so that each side needs one more card. */
    mud: boolean;
    /** The seat that played Fog here; null without it. */
    fog_by: Seat | null;
    /** The seat that played Mud here; null without it. */
    mud_by: Seat | null;
    /** The tile in force here; null without one, or while it lies face down. */
    tile: Tile | null;
  }

  /** Numbers of cards. */
  interface DeckCounts {
    /** Cards with the back of a troop. */
    troop: number;
    /** Cards with the back of a tactic. */
    tactic: number;
  }

  /** A hidden card that the seat knows of. It is in one of these places. */
  interface KnownCard {
    /** The card. */
    card: Card;
    /** Whether it may be in the other seat's hand. It is there if `in_deck` is empty. */
    in_hand: boolean;
    /** Places in its deck where it may be, counted from 1, the card that is drawn next. */
    in_deck: number[];
  }

  /** A tile that is laid. */
  interface LaidTile {
    /** The tile; null if the other seat laid it face down. */
    tile: Tile | null;
    /** Whether it lies face up. */
    up: boolean;
  }

  /** An action that was taken, or something else that happened. */
  type Event = ActionEvent | ClaimEvent | HiddenReturnEvent | DealEvent | DrawEvent | TilesEvent | PacketEvent | AwardEvent | ForfeitEvent;

  /** An action of a seat, one's own and those without a choice included. Words that the reader may not know are `?`. */
  interface ActionEvent {
    /** Who acted. */
    seat: Seat;
    /** The action as it was sent. */
    action: string;
  }

  /** A claim, and the formation that won the flag. */
  interface ClaimEvent {
    /** Who claimed. */
    seat: Seat;
    /** `claim` and the number of the flag. */
    action: string;
    /** The kind of the winning formation; `host` also under Fog and Woodland. */
    formation: "wedge" | "phalanx" | "battalion" | "skirmish" | "host";
    /** The sum of its cards. */
    sum: number;
    /** What each card stood for, in the order of placing; an ignored card is left out, and a free wild card takes the first colour. */
    as: Troop[];
  }

  /** The other seat returned a card. */
  interface HiddenReturnEvent {
    /** Who returned a card. */
    seat: Seat;
    /** The card is hidden. */
    action: "return ?";
    /** The deck on which the card lies now. */
    deck: Deck;
  }

  /** The seat's own hand at the start. */
  interface DealEvent {
    /** The kind of the event. */
    event: "deal";
    /** Whose hand it is: the reader's. */
    seat: Seat;
    /** The cards dealt. */
    hand: Card[];
  }

  /** A card was drawn. */
  interface DrawEvent {
    /** Who drew it. */
    seat: Seat;
    /** The kind of the event. */
    event: "draw";
    /** The deck from which it was drawn. */
    deck: Deck;
    /** The card; only the seat that drew it is told. */
    card?: Card;
  }

  /** With shuffled tiles: the tiles at the flags, at the start. */
  interface TilesEvent {
    /** The kind of the event. */
    event: "tiles";
    /** The tiles from flag 1 to 9. */
    row: Tile[];
  }

  /** With drafted tiles: the tiles from which the seat picks next, or the one that was aside. */
  interface PacketEvent {
    /** The kind of the event. */
    event: "packet";
    /** The tiles. */
    choices: Tile[];
  }

  /** A seat gets a flag that was left when nobody could go on (BL-24). */
  interface AwardEvent {
    /** The kind of the event. */
    event: "award";
    /** Who gets the flag. */
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
  /** The first message to a bot, once in a leg. The answer is `ready`. */
  interface Hello {
    /** The kind of the message. */
    type: "hello";
    /** The version of the protocol. */
    protocol: 1;
    /** The minor version: it is raised when messages get new keys. */
    minor: number;
    /** The game's key. */
    game: string;
    /** The edition's key. */
    edition: string;
    /** Every rule option in force. */
    options: Options;
    /** The bot's seat in this leg, from 0. */
    seat: number;
    /** How many play. */
    seats: number;
    /** The SHA-256 of the deal and its salt, in hex. */
    deal_hash: string;
    /** What the bot may use in this leg. */
    limits: { start_ms: number; move_ms: number; bank_ms: number; memory_mb: number };
    /** A number for the bot's own chance, another for every leg and seat. */
    seed: number;
  }

  /** A request for one decision. The answer is `answer`. */
  interface Turn {
    /** The kind of the message. */
    type: "turn";
    /** The number of decisions before this one in the leg, of all seats, those without a choice included. */
    n: number;
    /** The seat that is asked: the bot's own. */
    seat: number;
    /** All that the seat may see; left out for a bot that said `"view": false`. */
    view?: View;
    /** Every legal action once, or examples where `open` is there; left out for a bot that said `"legal": false`. */
    legal?: string[];
    /** Only where there are too many legal actions to list: the syntax of the others. */
    open?: string;
    /** What has happened since the bot's last message. */
    events: Event[];
    /** Milliseconds that are left of the bank. */
    bank_ms: number;
  }

  /** The last message. Nothing is answered; the bot exits within a second, and within 50 ms where another leg of the match follows. */
  interface End {
    /** The kind of the message. */
    type: "end";
    /** The place of each seat: 1 is first, equal ones are shared. */
    places: number[];
    /** The score of each seat. */
    scores: number[];
    /** How the leg ended: a word of the game, or the verdict that ended it. */
    reason: string;
    /** The verdict of each seat. */
    verdicts: Verdict[];
    /** What has happened since the bot's last message. */
    events: Event[];
  }

  /** The bot's answer to `hello`. Other fields are ignored. */
  interface Ready {
    /** The kind of the message. */
    type: "ready";
    /** False: requests come without `legal`. */
    legal?: boolean;
    /** False: requests come without `view`. */
    view?: boolean;
    /** True: where a new process is started in the middle of a leg, it is first asked its earlier turns again. */
    stateful?: boolean;
  }

  /** The bot's answer to `turn`. Other fields are ignored. */
  interface Answer {
    /** One of the legal actions, or one of the open grammar. */
    action: string;
    /** What the replay shows beside the turn. */
    note?: string;
    /** The bot's own estimate: -1 is lost, 1 is won. */
    eval?: number;
  }

  /** A seat goes out by a fault, or a person leaves. */
  interface ForfeitEvent {
    /** Who goes out. */
    seat: number;
    /** The action. */
    action: "forfeit";
    /** The fault of a bot. */
    verdict?: Fault;
    /** How a person left. */
    reason?: "resigned" | "abandoned";
  }

  /** `ok`, or the fault by which the seat lost. */
  type Verdict = "ok" | "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** The fault by which a seat lost. */
  type Fault = "illegal" | "malformed" | "timeout" | "crash" | "memory" | "output" | "start";

  /** All that the seat may see before its decision. */
  interface View {
    /** What is decided: `deploy` all cards, or an action of a `turn`. */
    decision: "deploy" | "turn";
    /** Rounds, counted from 1; 0 while anyone deploys. */
    round: number;
    /** Whole rounds in a row in which no card died. */
    quiet: number;
    /** The seat that is asked. */
    to_move: Seat;
    /** Every seat, in order. */
    seats: Side[];
    /** The seat that was attacked in the last turn taken by another, in or out; else null. */
    last_attacked: Seat | null;
    /** The cells on which the cards stand now that moved in this turn. */
    moved: Cell[];
    /** Whether the wounded were picked up in this turn. */
    picked_up: boolean;
  }

  /** What the reader may see of a seat. */
  interface Side {
    /** Whose cards these are. */
    seat: Seat;
    /** Whether the seat is out. */
    out: boolean;
    /** The rows of the formation from the front; empty before it is deployed and for who is out. */
    rows: Rows;
    /** The guard's cell; null where there is no formation. */
    guard: Guard | null;
    /** The seat's own hand; left out of those of others. */
    hand?: Cards;
    /** The number of cards in the hand. */
    hand_size: number;
    /** The wounded, open, in order of arrival. */
    wounded: Cards;
    /** The dead, open, in order of arrival. */
    dead: Cards;
    /** The opposing cards that count as killed by this seat (BT-42). */
    kills: number;
    /** What is added to attacks; null while the die is on the emperor and may be rolled. 0 is in force, too. */
    modification: number | null;
    /** Own turns, a present one included, in which it will still be in force; 0 without one. */
    modification_left: number;
    /** Whether the seat has reformed. */
    reformed: boolean;
  }

  /** Rows of cells, from the front. */
  type Rows = Place[][];

  /** A cell of a formation. */
  interface Place {
    /** The row's number from the front, and a letter from the left. */
    cell: Cell;
    /** The horizontal position, in half cards. */
    x: number;
    /** The card; `?` if the reader may not see it, null in an empty cell. */
    card: SeenCard | null;
    /** Whether everybody sees the card. */
    shown: boolean;
  }

  /** The cell of the guard. */
  interface Guard {
    /** The card; `?` if the reader may not see it, null in an empty cell. */
    card: SeenCard | null;
    /** Whether everybody sees the card. */
    shown: boolean;
  }

  /** An action that was taken, or something else that happened. */
  type Event = ActionEvent | AttackEvent | RollEvent | OutEvent | ForfeitEvent;

  /** An action of a seat, one's own and those without a choice included. Cards that the reader may not know are `?`. */
  interface ActionEvent {
    /** Who acted. */
    seat: Seat;
    /** The action; deployments and reformings as they were sent. */
    action: string;
  }

  /** An attack, and what came of it. */
  interface AttackEvent {
    /** Who attacked. */
    seat: Seat;
    /** `attack`, the cell, and the cell that is attacked with its seat. */
    action: string;
    /** The card that attacks. */
    attacker: Card;
    /** The card that is attacked; null for an empty guard's cell. */
    target: Card | null;
    /** The two values that are compared, the attacker's first; only where two are compared. */
    values?: [number, number];
    /** What came of it: the attacker `wins` or `loses`, a `tie`, the `look` of a Jack, the `strike` of a King, by which both die, or an empty guard's cell was reached and the `emperor` dies. */
    result: "wins" | "loses" | "tie" | "look" | "strike" | "emperor";
  }

  /** The die was rolled for a modification. */
  interface RollEvent {
    /** Who rolled it. */
    seat: Seat;
    /** The action. */
    action: "modify";
    /** What the die showed. */
    roll: number;
  }

  /** An emperor died: the seat is out, and its cards are open, as they lay before they were removed. */
  interface OutEvent {
    /** The kind of the event. */
    event: "out";
    /** Who is out. */
    seat: Seat;
    /** All cards of the seat. */
    cards: { rows: Rows; guard: Guard | null; hand: Cards; wounded: Cards; dead: Cards };
  }

  /** The number of a seat. */
  type Seat = number;

  /** The row's number from the front and a letter from the left, or `g` for the guard's cell. */
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
