// A small reader of JSON, as the standard library has none.

use std::str::Chars;

pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Return the value of a text; None if it is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { rest: text.chars() };
        let value = reader.value()?;
        reader.skip_space();
        reader.rest.next().is_none().then_some(value)
    }

    /// Return a field of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

struct Reader<'a> {
    rest: Chars<'a>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(c) if c.is_ascii_whitespace()) {
            self.rest.next();
        }
    }

    /// Skip a word if it comes next.
    fn take(&mut self, word: &str) -> bool {
        let found = self.rest.as_str().starts_with(word);
        if found {
            self.rest = self.rest.as_str()[word.len()..].chars();
        }
        found
    }

    fn value(&mut self) -> Option<Json> {
        self.skip_space();
        match self.peek()? {
            '{' => self.object(),
            '[' => self.list(),
            '"' => self.text().map(Json::Text),
            't' => self.take("true").then_some(Json::Bool(true)),
            'f' => self.take("false").then_some(Json::Bool(false)),
            'n' => self.take("null").then_some(Json::Null),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<Json> {
        let text = self.rest.as_str();
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(text.len());
        self.rest = text[end..].chars();
        text[..end].parse().ok().map(Json::Number)
    }

    fn text(&mut self) -> Option<String> {
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    /// Return the character that an escape stands for; halves of a pair are replaced.
    fn escaped(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let code = u32::from_str_radix(self.rest.as_str().get(..4)?, 16).ok()?;
                self.rest = self.rest.as_str()[4..].chars();
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            c => c,
        })
    }

    fn list(&mut self) -> Option<Json> {
        self.rest.next();
        let mut items = Vec::new();
        self.skip_space();
        if self.take("]") {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            self.skip_space();
            if self.take("]") {
                return Some(Json::List(items));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn object(&mut self) -> Option<Json> {
        self.rest.next();
        let mut fields = Vec::new();
        self.skip_space();
        if self.take("}") {
            return Some(Json::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek()? != '"' {
                return None;
            }
            let key = self.text()?;
            self.skip_space();
            if !self.take(":") {
                return None;
            }
            fields.push((key, self.value()?));
            self.skip_space();
            if self.take("}") {
                return Some(Json::Object(fields));
            }
            if !self.take(",") {
                return None;
            }
        }
    }
}

/// What can be read from parsed JSON.
pub trait FromJson: Sized {
    fn from_json(json: &Json) -> Option<Self>;
}

/// Return a field that must be there.
pub fn field<T: FromJson>(json: &Json, key: &str) -> Option<T> {
    T::from_json(json.get(key).unwrap_or(&Json::Null))
}

/// Return a field that may be missing. The outer value is None if it is there and something else.
pub fn optional<T: FromJson>(json: &Json, key: &str) -> Option<Option<T>> {
    field(json, key)
}

impl FromJson for bool {
    fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromJson for f64 {
    fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::Number(value) => Some(*value),
            _ => None,
        }
    }
}

impl FromJson for i64 {
    fn from_json(json: &Json) -> Option<Self> {
        f64::from_json(json).map(|value| value as i64)
    }
}

impl FromJson for String {
    fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::Text(value) => Some(value.clone()),
            _ => None,
        }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(T::from_json(item)?);
                }
                Some(values)
            }
            _ => None,
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::Null => Some(None),
            _ => T::from_json(json).map(Some),
        }
    }
}
