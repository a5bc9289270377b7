// The messages between the arena and a bot, for each game. Written by the arena from the schemas that it checks
// them against; its manual describes every field.

#![allow(dead_code)]

pub mod battleline {
    use crate::json::{field, optional, FromJson, Json};

    /// What the bot can use in this leg.
    #[derive(Clone, Debug)]
    pub struct HelloLimits {
        /// Milliseconds allowed for starting, until `ready`.
        pub start_ms: i64,
        /// Milliseconds for one answer.
        pub move_ms: i64,
        /// Milliseconds for the whole leg. Each answer uses what it takes beyond 20 ms.
        pub bank_ms: i64,
        /// Memory in MiB; 0 for remote bots, which have no limit.
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

    /// The first message to a bot, once per leg. The answer is `ready`.
    #[derive(Clone, Debug)]
    pub struct Hello {
        /// The kind of message.
        pub r#type: String,
        /// The protocol version.
        pub protocol: i64,
        /// Minor version, raised when messages get new keys.
        pub minor: i64,
        /// The game's key.
        pub game: String,
        /// The edition's key.
        pub edition: String,
        /// Every rule option in force.
        pub options: Options,
        /// The bot's seat in this leg, from 0.
        pub seat: i64,
        /// How many seats play.
        pub seats: i64,
        /// SHA-256 of the deal and its salt, in hex.
        pub deal_hash: String,
        /// What the bot can use in this leg.
        pub limits: HelloLimits,
        /// A seed for the bot's own randomness, different for every leg and seat.
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
        /// The kind of message.
        pub r#type: String,
        /// The number of earlier decisions in the leg, of all seats, including those without a choice.
        pub n: i64,
        /// The seat to decide: the bot's own.
        pub seat: i64,
        /// Everything the seat can see; left out for a bot that sent `"view": false`.
        pub view: Option<View>,
        /// Every legal action once, or examples if `open` is present; left out for a bot that sent `"legal": false`.
        pub legal: Option<Vec<String>>,
        /// Only if there are too many legal actions to list: the syntax of the others.
        pub open: Option<String>,
        /// What happened since the bot's last message.
        pub events: Vec<Event>,
        /// Milliseconds left in the bank.
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

    /// Only for remote bots: the last answer was refused, and the same request follows again. It has no answer, and a bot can ignore it.
    #[derive(Clone, Debug)]
    pub struct Refused {
        /// The kind of message.
        pub r#type: String,
        /// The number of the refused turn; 0 for a refused `ready`.
        pub n: i64,
        /// What was wrong with the answer, as a sentence.
        pub reason: String,
    }

    impl FromJson for Refused {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                n: field(json, "n")?,
                reason: field(json, "reason")?,
            })
        }
    }

    /// The last message. It has no answer; the bot exits within a second, or within 50 ms if another leg of the match follows.
    #[derive(Clone, Debug)]
    pub struct End {
        /// The kind of message.
        pub r#type: String,
        /// Each seat's place: 1 is first; equal seats share a place.
        pub places: Vec<i64>,
        /// Each seat's score.
        pub scores: Vec<f64>,
        /// How the leg ended: one of the game's words, or the verdict that ended it.
        pub reason: String,
        /// Each seat's verdict.
        pub verdicts: Vec<String>,
        /// What happened since the bot's last message.
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
        /// Cards left in the tactics deck; 0 without tactics.
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
        /// Why cards are returned: Scout was played, or Fields was claimed.
        pub from: String,
        /// How many cards are still to be returned, including this one.
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
        /// The tiles to pick from; empty while tiles are placed.
        pub choices: Vec<String>,
        /// The tiles that the seat has picked, or can still place.
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

    /// Everything the seat can see before its decision.
    #[derive(Clone, Debug)]
    pub struct View {
        /// What to decide: `play` a card at the start of a turn, `finish` it with claims and a draw, draw a card for `scout`, `return` a card to a deck, discard a troop for the tile `marshes` or `watchtower`, `draft` a tile, or `lay` one.
        pub decision: String,
        /// Both seats' turns, counted from 1; 0 while tiles are drafted and placed.
        pub turn: i64,
        /// The seat that is asked.
        pub to_move: i64,
        /// The seat's own cards.
        pub hand: Vec<String>,
        /// The number of cards in each seat's hand.
        pub hand_sizes: Vec<i64>,
        /// For each seat, how many cards from each deck its hand has, as their backs show.
        pub hand_backs: Vec<DeckCounts>,
        /// The number of cards left in each deck.
        pub decks: ViewDecks,
        /// The row of flags, in order.
        pub flags: Vec<Flag>,
        /// For each seat, the tactics it has played, in order.
        pub tactics_played: Vec<Vec<String>>,
        /// For each seat, the troops and morale cards removed from its side.
        pub discards: Vec<Vec<String>>,
        /// For each seat, whether it has played a leader.
        pub leader_played: Vec<bool>,
        /// Hidden cards the seat knows: those it put back, and a King dealt to the other seat.
        pub known: Vec<KnownCard>,
        /// Only with the option `claims` set to `either`: whether the seat to move claimed before playing in this turn.
        pub claimed_this_turn: Option<bool>,
        /// Only for the decision `return`.
        pub returning: Option<ViewReturning>,
        /// Only for the decision `watchtower`: the flag that was claimed.
        pub at: Option<i64>,
        /// Only for the decisions `draft` and `lay`.
        pub draft: Option<ViewDraft>,
        /// Only for the decisions `draft` and `lay`: the tiles already placed, from flag 1.
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
        /// The seat that has won the flag, or null.
        pub owner: Option<i64>,
        /// For each seat, the cards on its side, in the order placed.
        pub cards: Vec<Vec<String>>,
        /// For each seat, the number of cards that complete its side.
        pub needs: Vec<i64>,
        /// The seat that placed the latest card still here; null without cards.
        pub last: Option<i64>,
        /// Whether Fog is here, so that only the total counts.
        pub fog: bool,
        /// Whether Mud is here, so that each side needs one more card.
        pub mud: bool,
        /// The seat that played Fog here; null without it.
        pub fog_by: Option<i64>,
        /// The seat that played Mud here; null without it.
        pub mud_by: Option<i64>,
        /// The tile in force here; null if there is none, or it is face down.
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
        /// Cards with a troop's back.
        pub troop: i64,
        /// Cards with a tactic's back.
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

    /// A hidden card the seat knows. It is in one of these places.
    #[derive(Clone, Debug)]
    pub struct KnownCard {
        /// The card.
        pub card: String,
        /// Whether it might be in the other seat's hand. It is there if `in_deck` is empty.
        pub in_hand: bool,
        /// The deck positions where it might be; 1 is drawn next.
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

    /// A tile that has been placed.
    #[derive(Clone, Debug)]
    pub struct LaidTile {
        /// The tile; null if the other seat placed it face down.
        pub tile: Option<String>,
        /// Whether it is face up.
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

    /// An action, or something else that happened.
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
        /// What each card stood for, in the order placed; an ignored card is left out, and a free wild card takes the first colour.
        pub r#as: Option<Vec<String>>,
        /// Its meaning depends on what happened.
        pub deck: Option<String>,
        /// The kind of event.
        pub event: Option<String>,
        /// The cards dealt.
        pub hand: Option<Vec<String>>,
        /// The card; only for the seat that drew it.
        pub card: Option<String>,
        /// The tiles from flag 1 to 9.
        pub row: Option<Vec<String>>,
        /// The tiles.
        pub choices: Option<Vec<String>>,
        /// The flag's number.
        pub flag: Option<i64>,
        /// The bot's fault.
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

    /// What the bot can use in this leg.
    #[derive(Clone, Debug)]
    pub struct HelloLimits {
        /// Milliseconds allowed for starting, until `ready`.
        pub start_ms: i64,
        /// Milliseconds for one answer.
        pub move_ms: i64,
        /// Milliseconds for the whole leg. Each answer uses what it takes beyond 20 ms.
        pub bank_ms: i64,
        /// Memory in MiB; 0 for remote bots, which have no limit.
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

    /// The first message to a bot, once per leg. The answer is `ready`.
    #[derive(Clone, Debug)]
    pub struct Hello {
        /// The kind of message.
        pub r#type: String,
        /// The protocol version.
        pub protocol: i64,
        /// Minor version, raised when messages get new keys.
        pub minor: i64,
        /// The game's key.
        pub game: String,
        /// The edition's key.
        pub edition: String,
        /// Every rule option in force.
        pub options: Options,
        /// The bot's seat in this leg, from 0.
        pub seat: i64,
        /// How many seats play.
        pub seats: i64,
        /// SHA-256 of the deal and its salt, in hex.
        pub deal_hash: String,
        /// What the bot can use in this leg.
        pub limits: HelloLimits,
        /// A seed for the bot's own randomness, different for every leg and seat.
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
        /// The kind of message.
        pub r#type: String,
        /// The number of earlier decisions in the leg, of all seats, including those without a choice.
        pub n: i64,
        /// The seat to decide: the bot's own.
        pub seat: i64,
        /// Everything the seat can see; left out for a bot that sent `"view": false`.
        pub view: Option<View>,
        /// Every legal action once, or examples if `open` is present; left out for a bot that sent `"legal": false`.
        pub legal: Option<Vec<String>>,
        /// Only if there are too many legal actions to list: the syntax of the others.
        pub open: Option<String>,
        /// What happened since the bot's last message.
        pub events: Vec<Event>,
        /// Milliseconds left in the bank.
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

    /// Only for remote bots: the last answer was refused, and the same request follows again. It has no answer, and a bot can ignore it.
    #[derive(Clone, Debug)]
    pub struct Refused {
        /// The kind of message.
        pub r#type: String,
        /// The number of the refused turn; 0 for a refused `ready`.
        pub n: i64,
        /// What was wrong with the answer, as a sentence.
        pub reason: String,
    }

    impl FromJson for Refused {
        #[inline(never)]
        fn from_json(json: &Json) -> Option<Self> {
            Some(Self {
                r#type: field(json, "type")?,
                n: field(json, "n")?,
                reason: field(json, "reason")?,
            })
        }
    }

    /// The last message. It has no answer; the bot exits within a second, or within 50 ms if another leg of the match follows.
    #[derive(Clone, Debug)]
    pub struct End {
        /// The kind of message.
        pub r#type: String,
        /// Each seat's place: 1 is first; equal seats share a place.
        pub places: Vec<i64>,
        /// Each seat's score.
        pub scores: Vec<f64>,
        /// How the leg ended: one of the game's words, or the verdict that ended it.
        pub reason: String,
        /// Each seat's verdict.
        pub verdicts: Vec<String>,
        /// What happened since the bot's last message.
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

    /// Everything the seat can see before its decision.
    #[derive(Clone, Debug)]
    pub struct View {
        /// What to decide: `deploy` all cards, or an action in a `turn`.
        pub decision: String,
        /// Rounds, counted from 1; 0 while anyone deploys.
        pub round: i64,
        /// Whole rounds in a row without a card's death.
        pub quiet: i64,
        /// The seat to decide.
        pub to_move: i64,
        /// Every seat, in order.
        pub seats: Vec<Side>,
        /// The seat attacked in the last turn taken by another seat, even if it is out; else null.
        pub last_attacked: Option<i64>,
        /// The cells of the cards that moved in this turn.
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

    /// What the reader can see of a seat.
    #[derive(Clone, Debug)]
    pub struct Side {
        /// Whose cards these are.
        pub seat: i64,
        /// Whether the seat is out.
        pub out: bool,
        /// The formation's rows, from the front; empty before deployment and for a seat that is out.
        pub rows: Vec<Vec<Place>>,
        /// The guard cell; null without a formation.
        pub guard: Option<Guard>,
        /// The seat's hand; only for the reader's own seat.
        pub hand: Option<Vec<String>>,
        /// The number of cards in the hand.
        pub hand_size: i64,
        /// The wounded, face up, in order of arrival.
        pub wounded: Vec<String>,
        /// The dead, face up, in order of arrival.
        pub dead: Vec<String>,
        /// The opposing cards that count as this seat's kills (BT-42).
        pub kills: i64,
        /// What is added to the seat's cards in combat; null while the die can be rolled. 0 is in force too.
        pub modification: Option<i64>,
        /// In how many of its own turns it is still in force, including the current one; 0 without a modification.
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
        /// The row's number from the front and a letter from the left.
        pub cell: String,
        /// The horizontal position, in half-columns.
        pub x: i64,
        /// The card; `?` if hidden from the reader, null in an empty cell.
        pub card: Option<String>,
        /// Whether the card is shown to all.
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

    /// The guard cell.
    #[derive(Clone, Debug)]
    pub struct Guard {
        /// The card; `?` if hidden from the reader, null in an empty cell.
        pub card: Option<String>,
        /// Whether the card is shown to all.
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

    /// All the seat's cards.
    #[derive(Clone, Debug)]
    pub struct EventCards {
        /// The formation's rows.
        pub rows: Vec<Vec<Place>>,
        /// The guard cell; null before deployment.
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

    /// An action, or something else that happened.
    #[derive(Clone, Debug)]
    pub struct Event {
        /// Its meaning depends on what happened.
        pub seat: Option<i64>,
        /// Its meaning depends on what happened.
        pub action: Option<String>,
        /// The attacking card.
        pub attacker: Option<String>,
        /// The attacked card; null for an empty guard cell.
        pub target: Option<String>,
        /// The two compared values, the attacker's first; only if values are compared.
        pub values: Option<Vec<f64>>,
        /// The attacker `wins` or `loses`, or it's a `tie`; a Jack's `look`; a King's `strike`, by which both die; or the `emperor` behind an empty guard cell dies.
        pub result: Option<String>,
        /// The number rolled.
        pub roll: Option<i64>,
        /// The kind of event.
        pub event: Option<String>,
        /// All the seat's cards.
        pub cards: Option<EventCards>,
        /// The bot's fault.
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
