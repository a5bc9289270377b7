import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A simple bot for Battle Line and Battalion, better than random.
 *
 * <p>The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr,
 * by System.err, is the bot's private log. Json.java reads the messages.
 */
public final class Bot {
    /** Approximate values of Battalion's court cards in an attack. Other cards have the value of their number. */
    private static final Map<String, Double> CARD_WORTH_BY_RANK = Map.of("A", 11.0, "K", 1.0, "Q", 10.0, "J", 1.0);
    private static final double HIDDEN_CARD_VALUE = 6.5;

    /** Numbers that `pennant tune` can find better values for. */
    private final Json parameters;

    /** The seed of this leg, and the rest of this turn's plan in Battle Line. */
    private long seed = 1;
    private int plannedTurn = -1;
    private List<String> plan = new ArrayList<>();

    Bot(Json parameters) {
        this.parameters = parameters;
    }

    /** Begins a leg. */
    void start(Json hello) {
        seed = (long) hello.get("seed").number();
        plannedTurn = -1;
    }

    /** Returns the chosen action. All actions in `legal` are allowed. */
    String choose(Json message) {
        List<String> legal = message.get("legal").items().stream().map(Json::text).toList();
        return switch (message.get("view").get("decision").text()) {
            case "play", "finish" -> chooseInBattleLine(message, legal);
            case "turn" -> chooseInBattalion(message, legal);
            default -> pick(legal, message);
        };
    }

    /** Returns one of these actions: by chance, but the same whenever this request comes in this leg. */
    private String pick(List<String> actions, Json message) {
        return actions.get((int) ((seed + message.get("n").integer()) % actions.size()));
    }

    private static List<String> filter(List<String> actions, Predicate<String> keep) {
        return actions.stream().filter(keep).toList();
    }

    private static List<String> withPrefix(List<String> actions, String prefix) {
        return filter(actions, action -> action.startsWith(prefix));
    }

    /** Returns the actions with the highest rating. */
    private static List<String> findBest(List<String> actions, ToDoubleFunction<String> rate) {
        double highest = actions.stream().mapToDouble(rate).max().orElseThrow();
        return filter(actions, action -> rate.applyAsDouble(action) == highest);
    }

    /** Follows the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw. */
    private String chooseInBattleLine(Json message, List<String> legal) {
        int turn = message.get("view").get("turn").integer();
        if (plannedTurn != turn) {
            plannedTurn = turn;
            plan = makePlan(message, legal);
        }
        for (int number = 0; number < plan.size(); number++) {
            String action = plan.get(number);
            if (!legal.contains(action)) continue; // what isn't possible when its time comes is left out
            plan = plan.subList(number + 1, plan.size());
            return action;
        }
        return pick(legal, message);
    }

    /** Plans a whole turn: claim what can be claimed, play the card that fits best, claim, and draw. */
    private List<String> makePlan(Json message, List<String> legal) {
        List<String> actions = new ArrayList<>(withPrefix(legal, "claim "));
        List<String> plays = filter(legal, Bot::isTroop);
        if (!plays.isEmpty()) actions.add(pick(findBest(plays, action -> rateFit(action, message)), message));
        for (Json flag : message.get("view").get("flags").items()) {
            if (flag.get("owner").isNull()) actions.add("claim " + flag.get("flag").integer());
        }
        actions.add("draw troop");
        return actions;
    }

    /** Returns whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`. */
    private static boolean isTroop(String action) {
        return action.matches("play [A-Z][0-9]+ .*");
    }

    /** Returns how well a troop fits to our cards at its flag, by colour and by number. */
    double rateFit(String action, Json message) {
        String[] words = action.split(" ");
        String card = words[1], number = card.substring(1);
        double points = Integer.parseInt(number) / 10.0;
        Json flag = message.get("view").get("flags").items().get(Integer.parseInt(words[2]) - 1);
        for (Json other : flag.get("cards").items().get(message.get("seat").integer()).items()) {
            if (other.text().charAt(0) == card.charAt(0)) points += parameters.get("same_colour").number();
            if (other.text().substring(1).equals(number)) points += parameters.get("same_number").number();
        }
        return points;
    }

    /** Picks up the wounded, makes the best attack, or else reinforces, modifies or passes. */
    private String chooseInBattalion(Json message, List<String> legal) {
        Map<String, Json> cards = new HashMap<>();
        for (Json player : message.get("view").get("seats").items()) {
            String seat = player.get("seat").integer() + ":";
            for (Json row : player.get("rows").items()) {
                for (Json cell : row.items()) cards.put(seat + cell.get("cell").text(), cell.get("card"));
            }
            cards.put(seat + "g", player.get("guard").get("card"));
        }
        String own = message.get("seat").integer() + ":";
        ToDoubleFunction<String> gain = action -> {
            String[] words = action.split(" ");
            return strength(cards.get(own + words[1])) - strength(cards.get(words[2]));
        };
        List<String> attacks = filter(withPrefix(legal, "attack "), action -> gain.applyAsDouble(action) > 0);
        if (!attacks.isEmpty() && !legal.contains("pickup")) return pick(findBest(attacks, gain), message);
        for (String prefix : List.of("pickup", "reinforce ", "modify", "pass")) {
            List<String> matching = withPrefix(legal, prefix);
            if (!matching.isEmpty()) return pick(matching, message);
        }
        return pick(legal, message);
    }

    /** Returns the value of a card: average for a hidden card (?), 0 for an empty cell (null). */
    static double strength(Json card) {
        if (card.isNull()) return 0;
        if (card.text().equals("?")) return HIDDEN_CARD_VALUE;
        Double court = CARD_WORTH_BY_RANK.get(card.text());
        return court != null ? court : Integer.parseInt(card.text());
    }

    /** Reads a file of this folder. In the sandbox java.nio.file can't open files, since it makes a pair of sockets. */
    static String readFile(String name) throws IOException {
        try (FileInputStream file = new FileInputStream(name)) {
            return new String(file.readAllBytes(), UTF_8);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Bot bot = new Bot(Json.parse(readFile("params.json")));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            Json message = Json.parse(line);
            String type = message.get("type").text();
            if (type.equals("hello")) {
                bot.start(message);
                System.out.println("{\"type\":\"ready\"}");
                System.err.println("I play " + message.get("game").text() + " on seat " + message.get("seat").integer());
            } else if (type.equals("turn")) {
                System.out.println("{\"action\":\"" + bot.choose(message) + "\"}");
            } else if (type.equals("end")) {
                break;
            }
        }
    }
}
