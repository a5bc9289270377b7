import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small reader of JSON, as the standard library has none.
 *
 * <pre>Json message = Json.parse(line);
 * message.get("view").get("flags").items().size();</pre>
 */
final class Json {
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /** Returns the value of a text. Throws IllegalArgumentException if it is not JSON. */
    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json read = reader.value();
        reader.skipSpace();
        if (reader.at != text.length()) throw reader.failure();
        return read;
    }

    boolean isNull() {
        return value == null;
    }

    boolean bool() {
        return (Boolean) value;
    }

    double number() {
        return (Double) value;
    }

    int integer() {
        return (int) number();
    }

    String text() {
        return (String) value;
    }

    @SuppressWarnings("unchecked")
    List<Json> items() {
        return (List<Json>) value;
    }

    /** Returns a field of an object; a null if it is missing. */
    Json get(String key) {
        Object found = value instanceof Map<?, ?> fields ? fields.get(key) : null;
        return found == null ? new Json(null) : (Json) found;
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        IllegalArgumentException failure() {
            return new IllegalArgumentException("not JSON at " + at);
        }

        void skipSpace() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        /** Skips a word if it comes next. */
        boolean take(String word) {
            skipSpace();
            if (!text.startsWith(word, at)) return false;
            at += word.length();
            return true;
        }

        void expect(String word) {
            if (!take(word)) throw failure();
        }

        Json value() {
            if (take("{")) return new Json(object());
            if (take("[")) return new Json(list());
            if (take("\"")) return new Json(string());
            if (take("true")) return new Json(true);
            if (take("false")) return new Json(false);
            if (take("null")) return new Json(null);
            return new Json(number());
        }

        private Map<String, Json> object() {
            Map<String, Json> fields = new LinkedHashMap<>();
            while (!take("}")) {
                if (!fields.isEmpty()) expect(",");
                expect("\"");
                String key = string();
                expect(":");
                fields.put(key, value());
            }
            return fields;
        }

        private List<Json> list() {
            List<Json> items = new ArrayList<>();
            while (!take("]")) {
                if (!items.isEmpty()) expect(",");
                items.add(value());
            }
            return items;
        }

        private double number() {
            int start = at;
            while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
            try {
                return Double.parseDouble(text.substring(start, at));
            } catch (NumberFormatException wrong) {
                throw failure();
            }
        }

        /** Returns the rest of a text, after its first quote. */
        private String string() {
            StringBuilder read = new StringBuilder();
            while (true) {
                char c = next();
                if (c == '"') return read.toString();
                read.append(c == '\\' ? escaped() : c);
            }
        }

        private char escaped() {
            char c = next();
            int known = "bfnrt".indexOf(c);
            if (known >= 0) return "\b\f\n\r\t".charAt(known);
            if (c != 'u') return c;
            try {
                at += 4;
                return (char) Integer.parseInt(text, at - 4, at, 16);
            } catch (NumberFormatException | IndexOutOfBoundsException wrong) {
                throw failure();
            }
        }

        private char next() {
            if (at >= text.length()) throw failure();
            return text.charAt(at++);
        }
    }
}
