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
import java.util.Random;

public class Bot {
    private static final String LEGAL = "\"legal\":[";

    public static void main(String[] arguments) throws IOException {
        Random random = new Random();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> actions = legalActions(line);
            if (line.contains("\"type\":\"hello\"")) {
                System.out.println("{\"type\":\"ready\"}");
            } else if (!actions.isEmpty()) {
                System.out.println("{\"action\":" + actions.get(random.nextInt(actions.size())) + "}");
            }
        }
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
