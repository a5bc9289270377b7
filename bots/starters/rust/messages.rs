// The messages between the arena and a bot, for each game. Written by the arena from the schemas that it checks
// them against; its manual describes every field.

#![allow(dead_code)]

pub mod battleline {
    use crate::json::{field, optional, FromJson, Json};

    /// What the bot may use in this leg.
    #[derive(Clone, Debug)]
    pub struct HelloLimits {
        /// Milliseconds that the start may cost, up to `ready`.
        pub start_ms: i64,
        /// Milliseconds that one answer may cost.
        pub move_ms: i64,
        /// Milliseconds for the whole leg, from which the cost of each answer beyond 20 ms is taken.
        pub bank_ms: i64,
        /// Memory in MiB.
        pub memory_mb: i64,
    }

    impl FromJson for HelloLimits {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                start_ms: field(json, "start_ms")?,
                move_ms: field(json, "move_ms")?,
                bank_ms: field(json, "bank_ms")?,
                memory_mb: field(json, "memory_mb")?,
            })
        }
    }

    /// The first message to a bot, once in a leg. The answer is `ready`.
    #[derive(Clone, Debug)]
    pub struct Hello {
        /// The kind of the message.
        pub r#type: String,
        /// The version of the protocol.
        pub protocol: i64,
        /// The minor version: it is raised when messages get new keys.
        pub minor: i64,
        /// The game's key.
        pub game: String,
        /// The edition's key.
        pub edition: String,
        /// Every rule option in force.
        pub options: Options,
        /// The bot's seat in this leg, from 0.
        pub seat: i64,
        /// How many play.
        pub seats: i64,
        /// The SHA-256 of the deal and its salt, in hex.
        pub deal_hash: String,
        /// What the bot may use in this leg.
        pub limits: HelloLimits,
        /// A number for the bot's own chance, another for every leg and seat.
        pub seed: i64,
    }

    impl FromJson for Hello {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                protocol: field(json, "protocol")?,
                minor: field(json, "minor")?,
                game: field(json, "game")?,
                edition: field(json, "edition")?,
                options: field(json, "options")?,
                seat: field(json, "seat")?,
                seats: field(json, "seats")?,
                deal_hash: field(json, "deal_hash")?,
                limits: field(json, "limits")?,
                seed: field(json, "seed")?,
            })
        }
    }

    /// A request for one decision. The answer is `answer`.
    #[derive(Clone, Debug)]
    pub struct Turn {
        /// The kind of the message.
        pub r#type: String,
        /// The number of decisions before this one in the leg, of all seats, those without a choice included.
        pub n: i64,
        /// The seat that is asked: the bot's own.
        pub seat: i64,
        /// All that the seat may see; left out for a bot that said `"view": false`.
        pub view: Option<View>,
        /// Every legal action once, or examples where `open` is there; left out for a bot that said `"legal": false`.
        pub legal: Option<Vec<String>>,
        /// Only where there are too many legal actions to list: the syntax of the others.
        pub open: Option<String>,
        /// What has happened since the bot's last message.
        pub events: Vec<Event>,
        /// Milliseconds that are left of the bank.
        pub bank_ms: i64,
    }

    impl FromJson for Turn {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                n: field(json, "n")?,
                seat: field(json, "seat")?,
                view: optional(json, "view")?,
                legal: optional(json, "legal")?,
                open: optional(json, "open")?,
                events: field(json, "events")?,
                bank_ms: field(json, "bank_ms")?,
            })
        }
    }

    /// The last message. Nothing is answered; the bot exits within a second, and within 50 ms where another leg of the match follows.
    #[derive(Clone, Debug)]
    pub struct End {
        /// The kind of the message.
        pub r#type: String,
        /// The place of each seat: 1 is first, equal ones are shared.
        pub places: Vec<i64>,
        /// The score of each seat.
        pub scores: Vec<f64>,
        /// How the leg ended: a word of the game, or the verdict that ended it.
        pub reason: String,
        /// The verdict of each seat.
        pub verdicts: Vec<String>,
        /// What has happened since the bot's last message.
        pub events: Vec<Event>,
    }

    impl FromJson for End {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                places: field(json, "places")?,
                scores: field(json, "scores")?,
                reason: field(json, "reason")?,
                verdicts: field(json, "verdicts")?,
                events: field(json, "events")?,
            })
        }
    }

    /// The number of cards left in each deck.
    #[derive(Clone, Debug)]
    pub struct ViewDecks {
        /// Cards left in the troop deck.
        pub troop: i64,
        /// Cards left in the tactics deck; 0 where no tactics are played.
        pub tactic: i64,
    }

    impl FromJson for ViewDecks {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                troop: field(json, "troop")?,
                tactic: field(json, "tactic")?,
            })
        }
    }

    /// Only for the decision `return`.
    #[derive(Clone, Debug)]
    pub struct ViewReturning {
        /// Why cards are returned: a Scout was played, or a card at the tile Fields.
        pub from: String,
        /// How many cards are still to be returned, this one included.
        pub left: i64,
    }

    impl FromJson for ViewReturning {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                from: field(json, "from")?,
                left: field(json, "left")?,
            })
        }
    }

    /// Only for the decisions `draft` and `lay`.
    #[derive(Clone, Debug)]
    pub struct ViewDraft {
        /// The tiles from which the seat picks; empty while tiles are laid.
        pub choices: Vec<String>,
        /// The tiles that the seat has picked, or may still lay.
        pub tiles: Vec<String>,
    }

    impl FromJson for ViewDraft {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                choices: field(json, "choices")?,
                tiles: field(json, "tiles")?,
            })
        }
    }

    /// All that the seat may see before its decision.
    #[derive(Clone, Debug)]
    pub struct View {
        /// What is decided: `play` a card at the start of a turn, `finish` it by claims and a draw, draw a card of a `scout`, `return` a card to a deck, remove a card at the tile `marshes` or `watchtower`, `draft` a tile, or `lay` one.
        pub decision: String,
        /// Turns of both seats, counted from 1; 0 while tiles are drafted and laid.
        pub turn: i64,
        /// The seat that is asked.
        pub to_move: i64,
        /// The seat's own cards.
        pub hand: Vec<String>,
        /// The number of cards in each seat's hand.
        pub hand_sizes: Vec<i64>,
        /// For each seat, how many cards of each deck are in its hand, as their backs show.
        pub hand_backs: Vec<DeckCounts>,
        /// The number of cards left in each deck.
        pub decks: ViewDecks,
        /// The row of flags, in order.
        pub flags: Vec<Flag>,
        /// For each seat, every tactic it has played, in order.
        pub tactics_played: Vec<Vec<String>>,
        /// For each seat, the troops and morale cards that were removed from its side.
        pub discards: Vec<Vec<String>>,
        /// For each seat, whether it has played a leader.
        pub leader_played: Vec<bool>,
        /// The hidden cards that the seat knows of: those it put back itself, and a King that was dealt to the other seat.
        pub known: Vec<KnownCard>,
        /// Only with the option `claims` set to `either`: whether the seat to move claimed before it played in this turn.
        pub claimed_this_turn: Option<bool>,
        /// Only for the decision `return`.
        pub returning: Option<ViewReturning>,
        /// Only for the decision `watchtower`: the flag that was claimed.
        pub at: Option<i64>,
        /// Only for the decisions `draft` and `lay`.
        pub draft: Option<ViewDraft>,
        /// Only for the decisions `draft` and `lay`: the tiles that are laid, from flag 1 on.
        pub row: Option<Vec<LaidTile>>,
    }

    impl FromJson for View {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                decision: field(json, "decision")?,
                turn: field(json, "turn")?,
                to_move: field(json, "to_move")?,
                hand: field(json, "hand")?,
                hand_sizes: field(json, "hand_sizes")?,
                hand_backs: field(json, "hand_backs")?,
                decks: field(json, "decks")?,
                flags: field(json, "flags")?,
                tactics_played: field(json, "tactics_played")?,
                discards: field(json, "discards")?,
                leader_played: field(json, "leader_played")?,
                known: field(json, "known")?,
                claimed_this_turn: optional(json, "claimed_this_turn")?,
                returning: optional(json, "returning")?,
                at: optional(json, "at")?,
                draft: optional(json, "draft")?,
                row: optional(json, "row")?,
            })
        }
    }

    /// A flag, and the two sides in front of it.
    #[derive(Clone, Debug)]
    pub struct Flag {
        /// The flag's number in the row, the same for both seats.
        pub flag: i64,
        /// The seat that has won the flag; null while it is free.
        pub owner: Option<i64>,
        /// For each seat, the cards on its side in the order in which they were placed.
        pub cards: Vec<Vec<String>>,
        /// For each seat, the number of cards that completes its side.
        pub needs: Vec<i64>,
        /// The seat that placed the latest of the cards still lying here; null if none lies here.
        pub last: Option<i64>,
        /// Whether Fog lies here, so that only sums count.
        pub fog: bool,
        /// Whether Mud lies here, so that each side needs one more card.
        pub mud: bool,
        /// The seat that played Fog here; null without it.
        pub fog_by: Option<i64>,
        /// The seat that played Mud here; null without it.
        pub mud_by: Option<i64>,
        /// The tile in force here; null without one, or while it lies face down.
        pub tile: Option<String>,
    }

    impl FromJson for Flag {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                flag: field(json, "flag")?,
                owner: field(json, "owner")?,
                cards: field(json, "cards")?,
                needs: field(json, "needs")?,
                last: field(json, "last")?,
                fog: field(json, "fog")?,
                mud: field(json, "mud")?,
                fog_by: field(json, "fog_by")?,
                mud_by: field(json, "mud_by")?,
                tile: field(json, "tile")?,
            })
        }
    }

    /// Numbers of cards.
    #[derive(Clone, Debug)]
    pub struct DeckCounts {
        /// Cards with the back of a troop.
        pub troop: i64,
        /// Cards with the back of a tactic.
        pub tactic: i64,
    }

    impl FromJson for DeckCounts {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                troop: field(json, "troop")?,
                tactic: field(json, "tactic")?,
            })
        }
    }

    /// A hidden card that the seat knows of. It is in one of these places.
    #[derive(Clone, Debug)]
    pub struct KnownCard {
        /// The card.
        pub card: String,
        /// Whether it may be in the other seat's hand. It is there if `in_deck` is empty.
        pub in_hand: bool,
        /// Places in its deck where it may be, counted from 1, the card that is drawn next.
        pub in_deck: Vec<i64>,
    }

    impl FromJson for KnownCard {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                card: field(json, "card")?,
                in_hand: field(json, "in_hand")?,
                in_deck: field(json, "in_deck")?,
            })
        }
    }

    /// A tile that is laid.
    #[derive(Clone, Debug)]
    pub struct LaidTile {
        /// The tile; null if the other seat laid it face down.
        pub tile: Option<String>,
        /// Whether it lies face up.
        pub up: bool,
    }

    impl FromJson for LaidTile {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                tile: field(json, "tile")?,
                up: field(json, "up")?,
            })
        }
    }

    /// An action that was taken, or something else that happened.
    #[derive(Clone, Debug)]
    pub struct Event {
        /// Its meaning depends on what happened.
        pub seat: Option<i64>,
        /// Its meaning depends on what happened.
        pub action: Option<String>,
        /// The kind of the winning formation; `host` also under Fog and Woodland.
        pub formation: Option<String>,
        /// The sum of its cards.
        pub sum: Option<i64>,
        /// What each card stood for, in the order of placing; an ignored card is left out, and a free wild card takes the first colour.
        pub r#as: Option<Vec<String>>,
        /// Its meaning depends on what happened.
        pub deck: Option<String>,
        /// The kind of the event.
        pub event: Option<String>,
        /// The cards dealt.
        pub hand: Option<Vec<String>>,
        /// The card; only the seat that drew it is told.
        pub card: Option<String>,
        /// The tiles from flag 1 to 9.
        pub row: Option<Vec<String>>,
        /// The tiles.
        pub choices: Option<Vec<String>>,
        /// The flag's number.
        pub flag: Option<i64>,
        /// The fault of a bot.
        pub verdict: Option<String>,
        /// How a person left.
        pub reason: Option<String>,
    }

    impl FromJson for Event {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                seat: optional(json, "seat")?,
                action: optional(json, "action")?,
                formation: optional(json, "formation")?,
                sum: optional(json, "sum")?,
                r#as: optional(json, "as")?,
                deck: optional(json, "deck")?,
                event: optional(json, "event")?,
                hand: optional(json, "hand")?,
                card: optional(json, "card")?,
                row: optional(json, "row")?,
                choices: optional(json, "choices")?,
                flag: optional(json, "flag")?,
                verdict: optional(json, "verdict")?,
                reason: optional(json, "reason")?,
            })
        }
    }

    /// Every rule option in force.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// The colours or suits of the troops.
        pub colours: String,
        /// How many of each troop the deck has.
        pub copies: i64,
        /// How many flags are in the row between the players.
        pub flags: i64,
        /// How many flags, anywhere in the row, win immediately.
        pub envelopment: i64,
        /// Whether three adjacent flags win immediately.
        pub breakthrough: bool,
        /// The cards of the second deck.
        pub tactics: i64,
        /// When in a turn flags can be claimed.
        pub claims: String,
        /// Whether each player can play one leader or both.
        pub leader_limit: bool,
        /// When a player can pass.
        pub pass: String,
        /// The nine tiles that change the rules at their flags.
        pub tiles: String,
        /// How the Scout's cards are drawn.
        pub scout: String,
        /// How many troops each colour has.
        pub values: i64,
        /// How many cards each player is dealt and draws back up to.
        pub hand: i64,
    }

    impl FromJson for Options {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                colours: field(json, "colours")?,
                copies: field(json, "copies")?,
                flags: field(json, "flags")?,
                envelopment: field(json, "envelopment")?,
                breakthrough: field(json, "breakthrough")?,
                tactics: field(json, "tactics")?,
                claims: field(json, "claims")?,
                leader_limit: field(json, "leader_limit")?,
                pass: field(json, "pass")?,
                tiles: field(json, "tiles")?,
                scout: field(json, "scout")?,
                values: field(json, "values")?,
                hand: field(json, "hand")?,
            })
        }
    }

}

pub mod battalion {
    use crate::json::{field, optional, FromJson, Json};

    /// What the bot may use in this leg.
    #[derive(Clone, Debug)]
    pub struct HelloLimits {
        /// Milliseconds that the start may cost, up to `ready`.
        pub start_ms: i64,
        /// Milliseconds that one answer may cost.
        pub move_ms: i64,
        /// Milliseconds for the whole leg, from which the cost of each answer beyond 20 ms is taken.
        pub bank_ms: i64,
        /// Memory in MiB.
        pub memory_mb: i64,
    }

    impl FromJson for HelloLimits {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                start_ms: field(json, "start_ms")?,
                move_ms: field(json, "move_ms")?,
                bank_ms: field(json, "bank_ms")?,
                memory_mb: field(json, "memory_mb")?,
            })
        }
    }

    /// The first message to a bot, once in a leg. The answer is `ready`.
    #[derive(Clone, Debug)]
    pub struct Hello {
        /// The kind of the message.
        pub r#type: String,
        /// The version of the protocol.
        pub protocol: i64,
        /// The minor version: it is raised when messages get new keys.
        pub minor: i64,
        /// The game's key.
        pub game: String,
        /// The edition's key.
        pub edition: String,
        /// Every rule option in force.
        pub options: Options,
        /// The bot's seat in this leg, from 0.
        pub seat: i64,
        /// How many play.
        pub seats: i64,
        /// The SHA-256 of the deal and its salt, in hex.
        pub deal_hash: String,
        /// What the bot may use in this leg.
        pub limits: HelloLimits,
        /// A number for the bot's own chance, another for every leg and seat.
        pub seed: i64,
    }

    impl FromJson for Hello {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                protocol: field(json, "protocol")?,
                minor: field(json, "minor")?,
                game: field(json, "game")?,
                edition: field(json, "edition")?,
                options: field(json, "options")?,
                seat: field(json, "seat")?,
                seats: field(json, "seats")?,
                deal_hash: field(json, "deal_hash")?,
                limits: field(json, "limits")?,
                seed: field(json, "seed")?,
            })
        }
    }

    /// A request for one decision. The answer is `answer`.
    #[derive(Clone, Debug)]
    pub struct Turn {
        /// The kind of the message.
        pub r#type: String,
        /// The number of decisions before this one in the leg, of all seats, those without a choice included.
        pub n: i64,
        /// The seat that is asked: the bot's own.
        pub seat: i64,
        /// All that the seat may see; left out for a bot that said `"view": false`.
        pub view: Option<View>,
        /// Every legal action once, or examples where `open` is there; left out for a bot that said `"legal": false`.
        pub legal: Option<Vec<String>>,
        /// Only where there are too many legal actions to list: the syntax of the others.
        pub open: Option<String>,
        /// What has happened since the bot's last message.
        pub events: Vec<Event>,
        /// Milliseconds that are left of the bank.
        pub bank_ms: i64,
    }

    impl FromJson for Turn {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                n: field(json, "n")?,
                seat: field(json, "seat")?,
                view: optional(json, "view")?,
                legal: optional(json, "legal")?,
                open: optional(json, "open")?,
                events: field(json, "events")?,
                bank_ms: field(json, "bank_ms")?,
            })
        }
    }

    /// The last message. Nothing is answered; the bot exits within a second, and within 50 ms where another leg of the match follows.
    #[derive(Clone, Debug)]
    pub struct End {
        /// The kind of the message.
        pub r#type: String,
        /// The place of each seat: 1 is first, equal ones are shared.
        pub places: Vec<i64>,
        /// The score of each seat.
        pub scores: Vec<f64>,
        /// How the leg ended: a word of the game, or the verdict that ended it.
        pub reason: String,
        /// The verdict of each seat.
        pub verdicts: Vec<String>,
        /// What has happened since the bot's last message.
        pub events: Vec<Event>,
    }

    impl FromJson for End {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                places: field(json, "places")?,
                scores: field(json, "scores")?,
                reason: field(json, "reason")?,
                verdicts: field(json, "verdicts")?,
                events: field(json, "events")?,
            })
        }
    }

    /// All that the seat may see before its decision.
    #[derive(Clone, Debug)]
    pub struct View {
        /// What is decided: `deploy` all cards, or an action of a `turn`.
        pub decision: String,
        /// Rounds, counted from 1; 0 while anyone deploys.
        pub round: i64,
        /// Whole rounds in a row in which no card died.
        pub quiet: i64,
        /// The seat that is asked.
        pub to_move: i64,
        /// Every seat, in order.
        pub seats: Vec<Side>,
        /// The seat that was attacked in the last turn taken by another, in or out; else null.
        pub last_attacked: Option<i64>,
        /// The cells on which the cards stand now that moved in this turn.
        pub moved: Vec<String>,
        /// Whether the wounded were picked up in this turn.
        pub picked_up: bool,
    }

    impl FromJson for View {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                decision: field(json, "decision")?,
                round: field(json, "round")?,
                quiet: field(json, "quiet")?,
                to_move: field(json, "to_move")?,
                seats: field(json, "seats")?,
                last_attacked: field(json, "last_attacked")?,
                moved: field(json, "moved")?,
                picked_up: field(json, "picked_up")?,
            })
        }
    }

    /// What the reader may see of a seat.
    #[derive(Clone, Debug)]
    pub struct Side {
        /// Whose cards these are.
        pub seat: i64,
        /// Whether the seat is out.
        pub out: bool,
        /// The rows of the formation from the front; empty before it is deployed and for who is out.
        pub rows: Vec<Vec<Place>>,
        /// The guard's cell; null where there is no formation.
        pub guard: Option<Guard>,
        /// The seat's own hand; left out of those of others.
        pub hand: Option<Vec<String>>,
        /// The number of cards in the hand.
        pub hand_size: i64,
        /// The wounded, open, in order of arrival.
        pub wounded: Vec<String>,
        /// The dead, open, in order of arrival.
        pub dead: Vec<String>,
        /// The opposing cards that count as killed by this seat (BT-42).
        pub kills: i64,
        /// What is added to attacks; null while the die is on the emperor and may be rolled. 0 is in force, too.
        pub modification: Option<i64>,
        /// Own turns, a present one included, in which it will still be in force; 0 without one.
        pub modification_left: i64,
        /// Whether the seat has reformed.
        pub reformed: bool,
    }

    impl FromJson for Side {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                seat: field(json, "seat")?,
                out: field(json, "out")?,
                rows: field(json, "rows")?,
                guard: field(json, "guard")?,
                hand: optional(json, "hand")?,
                hand_size: field(json, "hand_size")?,
                wounded: field(json, "wounded")?,
                dead: field(json, "dead")?,
                kills: field(json, "kills")?,
                modification: field(json, "modification")?,
                modification_left: field(json, "modification_left")?,
                reformed: field(json, "reformed")?,
            })
        }
    }

    /// A cell of a formation.
    #[derive(Clone, Debug)]
    pub struct Place {
        /// The row's number from the front, and a letter from the left.
        pub cell: String,
        /// The horizontal position, in half cards.
        pub x: i64,
        /// The card; `?` if the reader may not see it, null in an empty cell.
        pub card: Option<String>,
        /// Whether everybody sees the card.
        pub shown: bool,
    }

    impl FromJson for Place {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                cell: field(json, "cell")?,
                x: field(json, "x")?,
                card: field(json, "card")?,
                shown: field(json, "shown")?,
            })
        }
    }

    /// The cell of the guard.
    #[derive(Clone, Debug)]
    pub struct Guard {
        /// The card; `?` if the reader may not see it, null in an empty cell.
        pub card: Option<String>,
        /// Whether everybody sees the card.
        pub shown: bool,
    }

    impl FromJson for Guard {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                card: field(json, "card")?,
                shown: field(json, "shown")?,
            })
        }
    }

    /// All cards of the seat.
    #[derive(Clone, Debug)]
    pub struct EventCards {
        /// The rows of the formation.
        pub rows: Vec<Vec<Place>>,
        /// The guard's cell; null before anything was deployed.
        pub guard: Option<Guard>,
        /// The hand.
        pub hand: Vec<String>,
        /// The wounded.
        pub wounded: Vec<String>,
        /// The dead.
        pub dead: Vec<String>,
    }

    impl FromJson for EventCards {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                rows: field(json, "rows")?,
                guard: field(json, "guard")?,
                hand: field(json, "hand")?,
                wounded: field(json, "wounded")?,
                dead: field(json, "dead")?,
            })
        }
    }

    /// An action that was taken, or something else that happened.
    #[derive(Clone, Debug)]
    pub struct Event {
        /// Its meaning depends on what happened.
        pub seat: Option<i64>,
        /// Its meaning depends on what happened.
        pub action: Option<String>,
        /// The card that attacks.
        pub attacker: Option<String>,
        /// The card that is attacked; null for an empty guard's cell.
        pub target: Option<String>,
        /// The two values that are compared, the attacker's first; only where two are compared.
        pub values: Option<Vec<f64>>,
        /// What came of it: the attacker `wins` or `loses`, a `tie`, the `look` of a Jack, the `strike` of a King, by which both die, or an empty guard's cell was reached and the `emperor` dies.
        pub result: Option<String>,
        /// What the die showed.
        pub roll: Option<i64>,
        /// The kind of the event.
        pub event: Option<String>,
        /// All cards of the seat.
        pub cards: Option<EventCards>,
        /// The fault of a bot.
        pub verdict: Option<String>,
        /// How a person left.
        pub reason: Option<String>,
    }

    impl FromJson for Event {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                seat: optional(json, "seat")?,
                action: optional(json, "action")?,
                attacker: optional(json, "attacker")?,
                target: optional(json, "target")?,
                values: optional(json, "values")?,
                result: optional(json, "result")?,
                roll: optional(json, "roll")?,
                event: optional(json, "event")?,
                cards: optional(json, "cards")?,
                verdict: optional(json, "verdict")?,
                reason: optional(json, "reason")?,
            })
        }
    }

    /// Every rule option in force.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// The leg ends after this many whole rounds in a row without a death.
        pub quiet_rounds: i64,
        /// The leg ends after this many whole rounds at the latest.
        pub round_limit: i64,
        /// Which seat moves first once everyone has deployed.
        pub start: String,
    }

    impl FromJson for Options {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                quiet_rounds: field(json, "quiet_rounds")?,
                round_limit: field(json, "round_limit")?,
                start: field(json, "start")?,
            })
        }
    }

}
