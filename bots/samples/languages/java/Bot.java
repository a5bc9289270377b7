// Plays any legal action of any game: the smallest bot in Java.
//
// A message is one line of JSON. This bot looks at nothing but the list of legal actions, and answers with one of its
// strings just as it stands there, quotes included. So a search for the right words does; for more, bring a JSON parser.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Bot {
    private static final String LEGAL = "\"legal\":[";

    public static void main(String[] arguments) throws IOException {
        long seed = 0;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> actions = legalActions(line);
            if (line.contains("\"type\":\"hello\"")) {
                seed = number(line, "seed");
                System.out.println("{\"type\":\"ready\"}");
            } else if (!actions.isEmpty()) {
                // The leg's seed and the number of the decision: the same question has the same answer.
                SplittableRandom random = new SplittableRandom(seed * 1000003 + number(line, "n"));
                System.out.println("{\"action\":" + actions.get(random.nextInt(actions.size())) + "}");
            }
        }
    }

    /** The whole number with this key in a message; 0 if it has none. */
    private static long number(String line, String key) {
        Matcher found = Pattern.compile("\"" + key + "\":(\\d+)").matcher(line);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** The legal actions in a message, as JSON strings. */
    private static List<String> legalActions(String line) {
        List<String> actions = new ArrayList<>();
        int at = line.indexOf(LEGAL);
        if (at < 0) {
            return actions;
        }
        at += LEGAL.length();
        while (line.charAt(at) == '"') {
            int end = at + 1;
            while (line.charAt(end) != '"') {
                end += line.charAt(end) == '\\' ? 2 : 1;
            }
            actions.add(line.substring(at, end + 1));
            at = line.charAt(end + 1) == ',' ? end + 2 : end + 1;
        }
        return actions;
    }
}
