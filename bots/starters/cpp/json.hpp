// A small reader of JSON, as the standard library has none.
//
//     const Json message = Json::parse(line);
//     message["view"]["flags"].items().size();

#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

class Json {
public:
    enum class Kind { null, boolean, number, text, list, object };

    // Return the value of a text. Throws std::runtime_error if it is not JSON.
    static Json parse(std::string_view text) {
        Reader reader{text};
        Json value = reader.value();
        reader.skip_space();
        if (reader.at != text.size()) reader.fail();
        return value;
    }

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::null; }
    bool boolean() const { return number_ != 0; }
    double number() const { return number_; }
    const std::string& text() const { return text_; }
    const std::vector<Json>& items() const { return items_; }  // of a list, or the values of an object

    // Return a field of an object; null if it is missing.
    const Json& operator[](std::string_view key) const {
        static const Json missing;
        for (std::size_t number = 0; number < keys_.size(); number++)
            if (keys_[number] == key) return items_[number];
        return missing;
    }

private:
    Kind kind_ = Kind::null;
    double number_ = 0;
    std::string text_;
    std::vector<std::string> keys_;
    std::vector<Json> items_;

    struct Reader {
        std::string_view all;
        std::size_t at = 0;

        [[noreturn]] void fail() const { throw std::runtime_error("not JSON at " + std::to_string(at)); }

        void skip_space() {
            while (at < all.size() && std::string_view(" \t\r\n").find(all[at]) != std::string_view::npos) at++;
        }

        // Skip a word if it comes next.
        bool take(std::string_view word) {
            skip_space();
            if (all.substr(at, word.size()) != word) return false;
            at += word.size();
            return true;
        }

        void expect(std::string_view word) {
            if (!take(word)) fail();
        }

        Json value() {
            Json made;
            if (take("{")) {
                made.kind_ = Kind::object;
                for (bool more = !take("}"); more; more = !take("}")) {
                    if (!made.items_.empty()) expect(",");
                    expect("\"");
                    made.keys_.push_back(text());
                    expect(":");
                    made.items_.push_back(value());
                }
            } else if (take("[")) {
                made.kind_ = Kind::list;
                for (bool more = !take("]"); more; more = !take("]")) {
                    if (!made.items_.empty()) expect(",");
                    made.items_.push_back(value());
                }
            } else if (take("\"")) {
                made.kind_ = Kind::text;
                made.text_ = text();
            } else if (take("true")) {
                made.kind_ = Kind::boolean;
                made.number_ = 1;
            } else if (take("false")) {
                made.kind_ = Kind::boolean;
            } else if (!take("null")) {
                made.kind_ = Kind::number;
                const auto [end, error] = std::from_chars(all.data() + at, all.data() + all.size(), made.number_);
                if (error != std::errc{}) fail();
                at = end - all.data();
            }
            return made;
        }

        // Return the rest of a text, after its first quote.
        std::string text() {
            std::string read;
            while (true) {
                if (at >= all.size()) fail();
                const char c = all[at++];
                if (c == '"') return read;
                if (c == '\\') escaped(read);
                else read += c;
            }
        }

        // Add the character that an escape stands for, as UTF-8; halves of a pair are replaced.
        void escaped(std::string& read) {
            if (at >= all.size()) fail();
            const char c = all[at++];
            constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
            if (const auto known = letters.find(c); known != letters.npos) read += meant[known];
            else if (c != 'u') read += c;
            else {
                unsigned code = 0;
                const auto digits = all.substr(at, 4);
                const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
                if (error != std::errc{} || end != digits.data() + 4) fail();
                at += 4;
                if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
                if (code < 0x80) read += static_cast<char>(code);
                else if (code < 0x800) (read += static_cast<char>(0xc0 | code >> 6)) += static_cast<char>(0x80 | (code & 63));
                else {
                    read += static_cast<char>(0xe0 | code >> 12);
                    read += static_cast<char>(0x80 | (code >> 6 & 63));
                    read += static_cast<char>(0x80 | (code & 63));
                }
            }
        }
    };
};
