//! Reads arguments that are texts as Rust types: those of prompts and resource templates.

use super::{InvalidArguments, args::at_path};
use serde::{
    de::{
        DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor,
        value::{Error, MapDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use std::str::FromStr;

/// Reads texts by name as a Rust type.
pub(super) fn decode<T: DeserializeOwned>(texts: &[(String, String)]) -> Result<T, InvalidArguments> {
    let members = || MapDeserializer::new(texts.iter().map(|(key, text)| (key.as_str(), Text(text))));
    T::deserialize(members()).map_err(|_: Error| match serde_path_to_error::deserialize::<_, T>(members()) {
        Ok(_) => InvalidArguments::new("expected texts by name"),
        Err(error) => at_path(error.path(), &error.inner().to_string()),
    })
}

/// A text that may represent a number, a boolean or a variant.
#[derive(Clone, Copy)]
struct Text<'a>(&'a str);

impl Text<'_> {
    fn parse<T: FromStr>(self, expected: &dyn serde::de::Expected) -> Result<T, Error> {
        self.0.parse().map_err(|_| Error::invalid_value(Unexpected::Str(self.0), expected))
    }
}

impl<'de> IntoDeserializer<'de> for Text<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident,)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let value = self.parse(&visitor)?;
            visitor.$visit(value)
        }
    )+};
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    parsed! {
        deserialize_bool visit_bool,
        deserialize_i8 visit_i8,
        deserialize_i16 visit_i16,
        deserialize_i32 visit_i32,
        deserialize_i64 visit_i64,
        deserialize_i128 visit_i128,
        deserialize_u8 visit_u8,
        deserialize_u16 visit_u16,
        deserialize_u32 visit_u32,
        deserialize_u64 visit_u64,
        deserialize_u128 visit_u128,
        deserialize_f32 visit_f32,
        deserialize_f64 visit_f64,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        StrDeserializer::<Error>::new(self.0).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Unit {
        Metre,
    }

    #[derive(Deserialize, Debug, PartialEq)]
    struct Query {
        id: u64,
        ratio: Option<f32>,
        deep: bool,
        unit: Unit,
        name: String,
    }

    fn texts(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn texts_become_the_types_of_their_fields() {
        let all = [("id", "7"), ("ratio", "0.5"), ("deep", "true"), ("unit", "metre"), ("name", "7")];
        let query: Query = decode(&texts(&all)).unwrap();
        let expected = Query { id: 7, ratio: Some(0.5), deep: true, unit: Unit::Metre, name: "7".to_owned() };
        assert_eq!(query, expected);
    }

    #[test]
    fn a_text_that_does_not_fit_is_named_with_the_expectation() {
        let message = |pairs| decode::<Query>(&texts(pairs)).unwrap_err().message().to_owned();
        assert_eq!(message(&[("id", "seven")]), r#"id: invalid value: string "seven", expected u64"#);
        assert_eq!(message(&[]), "missing field `id`");
    }
}
