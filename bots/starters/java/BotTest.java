import java.io.IOException;
import java.util.List;

/** Tests of the bot: `javac -d .test *.java && java -cp .test BotTest` in its folder runs them. */
final class BotTest {
    private static int failures;

    /** Tells a mistake, and counts it. */
    private static void check(boolean holds, String what) {
        if (holds) return;
        System.out.println("FAILED: " + what);
        failures++;
    }

    private static Bot readBot() throws IOException {
        return new Bot(Json.parse(Bot.readFile("params.json")));
    }

    /** Returns a turn of each game as the arena sends it, and in `answer` what the bot says before you change it. */
    private static List<Json> readTurns() throws IOException {
        return Bot.readFile("turns.jsonl").lines().map(Json::parse).toList();
    }

    private static void testWholeTurn() throws IOException {
        Bot bot = readBot();
        for (Json message : readTurns()) {
            if (message.get("type").text().equals("hello")) {
                bot.start(message);
                continue;
            }
            String answer = bot.choose(message), expected = message.get("answer").text();
            check(message.get("legal").items().stream().anyMatch(one -> one.text().equals(answer)), answer + " is legal");
            check(answer.equals(expected), answer + " is " + expected);
        }
    }

    private static void testCardsThatGoTogetherFit() throws IOException {
        Json turn = readTurns().get(1);
        double colour = readBot().rateFit("play B10 4", turn), number = readBot().rateFit("play Y3 4", turn);
        check(colour > number, "a card of the colour fits best");
        check(number > readBot().rateFit("play R1 4", turn), "a card of the number fits better than any other");
    }

    private static void testStrengthOfCards() {
        List<Double> worth = Json.parse("[\"A\", \"J\", \"10\", \"?\", null]").items().stream().map(Bot::strength).toList();
        check(worth.equals(List.of(11.0, 1.0, 10.0, 6.5, 0.0)), "the strength of cards is " + worth);
    }

    private static void testJson() {
        Json value = Json.parse(
                " {\"a\": [1, -2.5e1, true, null, {}], \"b\\u00e9\\n\": \"\\\"\\u20ac\\\\\", \"c\": []} ");
        List<Json> list = value.get("a").items();
        check(list.size() == 5 && list.get(1).number() == -25 && list.get(2).bool() && list.get(3).isNull(), "a list");
        check(value.get("b\u00e9\n").text().equals("\"\u20ac\\"), "escapes");
        check(value.get("c").items().isEmpty() && value.get("d").isNull(), "an empty list, and none");
        for (String wrong : List.of("", "{", "[1 2]", "{\"a\" 1}", "\"\\u12\"", "\"", "\"\\", "nul", "1 1", "{1: 2}")) {
            try {
                Json.parse(wrong);
                check(false, wrong);
            } catch (IllegalArgumentException right) {
                // as it should be
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        testWholeTurn();
        testCardsThatGoTogetherFit();
        testStrengthOfCards();
        testJson();
        System.out.println(failures == 0 ? "ok" : failures + " failures");
        System.exit(failures == 0 ? 0 : 1);
    }
}
