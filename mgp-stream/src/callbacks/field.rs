//! The field of a form that a callback carries.

use mgp_types::json::{RawJson, RawObject};
use serde::Deserialize;
use std::fmt::Display;

/// The members of a field's schema that are read or do not constrain its value. A field with other members is not carried: its answer could
/// break an unchecked rule.
const KNOWN: [&str; 14] = [
    "type",
    "enum",
    "enumNames",
    "oneOf",
    "title",
    "description",
    "default",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "examples",
    "$comment",
];

/// The most characters of a value in an error.
const SHOWN: usize = 64;

/// The field of a form.
#[derive(Debug, Clone)]
pub(super) struct FormField {
    name: String,
    kind: FieldType,
    /// The values to choose from, if the user chooses one.
    options: Vec<FieldOption>,
    note: Option<String>,
    /// The limits of a number, or of the length of a text in characters.
    limits: (Option<f64>, Option<f64>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldType {
    Text,
    Number,
    Integer,
    Boolean,
}

/// A value to choose, with the label shown to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FieldOption {
    value: String,
    shown: String,
}

impl FieldOption {
    fn plain(value: &str) -> Self {
        Self { value: value.to_owned(), shown: value.to_owned() }
    }
}

impl FormField {
    /// Reads a field from its schema. Returns `None` if a callback cannot carry it.
    pub(super) fn of(name: &str, property: &RawJson) -> Option<Self> {
        let is_known = |(key, _): (&str, _)| KNOWN.contains(&key);
        if !RawObject::from_json(property).ok()?.iter().all(is_known) {
            return None;
        }
        let property: Property = property.decode().ok()?;
        let options = property.options()?;
        let kind = match (property.type_name(!options.is_empty())?, options.is_empty()) {
            ("string", _) if property.format.is_none() => FieldType::Text,
            // The formats of numbers name types of programming languages.
            ("number", true) => FieldType::Number,
            ("integer", true) => FieldType::Integer,
            ("boolean", true) => FieldType::Boolean,
            _ => return None,
        };
        let options = match kind {
            FieldType::Boolean => ["true", "false"].map(FieldOption::plain).to_vec(),
            _ => options,
        };
        let limits = match kind {
            FieldType::Text => (property.min_length, property.max_length),
            _ => (property.minimum, property.maximum),
        };
        let note = match (property.title, property.description) {
            (Some(title), Some(description)) => Some(format!("{title}: {description}")),
            (title, description) => title.or(description),
        };
        Some(Self { name: name.to_owned(), kind, options, note, limits })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the title and the description of the field, for the user.
    pub(super) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns the labels of the options, if the user chooses one.
    pub(super) fn options(&self) -> Option<Vec<String>> {
        let shown: Vec<_> = self.options.iter().map(|option| option.shown.clone()).collect();
        (!shown.is_empty()).then_some(shown)
    }

    pub(super) fn is_boolean(&self) -> bool {
        self.kind == FieldType::Boolean
    }

    /// Returns the response to the callback as the value of the field.
    ///
    /// # Errors
    /// The field, the expectation, and the value that was found.
    pub(super) fn value(&self, response: &RawJson) -> Result<RawJson, String> {
        let text = response.to_text();
        let chosen = self.options.iter().find(|option| Some(&option.shown) == text.as_ref());
        let text = chosen.map(|option| option.value.as_str()).or(text.as_deref());
        // A user types numbers as text.
        let plain = text.map_or_else(|| response.as_str(), str::trim);
        let value = match self.kind {
            FieldType::Text => {
                let text = text.unwrap_or_else(|| response.as_str());
                self.allows(text.chars().count() as f64).then(|| RawJson::string(text))
            }
            FieldType::Number => self.number::<f64>(plain),
            FieldType::Integer => self.number::<i64>(plain),
            FieldType::Boolean => parsed::<bool>(plain),
        };
        value.ok_or_else(|| {
            let found: String = plain.chars().take(SHOWN).collect();
            format!("invalid {}: expected {}, found {found:?}", self.name, self.expected())
        })
    }

    /// Returns the text as JSON if it is a number of this type within the limits.
    fn number<T: serde::de::DeserializeOwned>(&self, text: &str) -> Option<RawJson> {
        let json = parsed::<T>(text)?;
        self.allows(json.decode().ok()?).then_some(json)
    }

    fn allows(&self, number: f64) -> bool {
        let (least, most) = self.limits;
        least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
    }

    fn expected(&self) -> String {
        match (self.kind, self.limits) {
            (FieldType::Text, (None, None)) => "a text".to_owned(),
            (FieldType::Text, limits) => format!("a text of {} characters", range("", limits)),
            (FieldType::Number, limits) => number("a number", limits),
            (FieldType::Integer, limits) => number("a whole number", limits),
            (FieldType::Boolean, _) => "true or false".to_owned(),
        }
    }
}

fn number(noun: &str, limits: (Option<f64>, Option<f64>)) -> String {
    match limits {
        (None, None) => noun.to_owned(),
        (Some(_), Some(_)) => format!("{noun} {}", range("from ", limits)),
        _ => format!("{noun} of {}", range("", limits)),
    }
}

/// Describes limits in words. `from` precedes a range with both limits.
fn range(from: &str, limits: (Option<impl Display>, Option<impl Display>)) -> String {
    match limits {
        (Some(least), Some(most)) => format!("{from}{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "any number of".to_owned(),
    }
}

/// Returns the text as JSON if it parses as the type.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Option<RawJson> {
    let json = RawJson::parse(text.to_owned()).ok()?;
    json.decode::<T>().is_ok().then_some(json)
}

/// The members of a field's schema.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Property {
    #[serde(rename = "type")]
    kind: Option<TypeNames>,
    #[serde(rename = "enum")]
    values: Option<Vec<Option<String>>>,
    enum_names: Option<Vec<String>>,
    #[serde(rename = "oneOf")]
    titled: Option<Vec<TitledOption>>,
    title: Option<String>,
    description: Option<String>,
    format: Option<String>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: Option<f64>,
    max_length: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TypeNames {
    One(String),
    /// An optional field may be null.
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
struct TitledOption {
    #[serde(rename = "const")]
    value: String,
    title: Option<String>,
}

impl Property {
    /// Returns the name of the only type other than `null`. A field with options and no type is a string.
    fn type_name(&self, has_options: bool) -> Option<&str> {
        match &self.kind {
            Some(TypeNames::One(kind)) => Some(kind),
            Some(TypeNames::Several(kinds)) => {
                let mut kinds = kinds.iter().filter(|kind| *kind != "null");
                let first = kinds.next();
                first.filter(|_| kinds.next().is_none()).map(String::as_str)
            }
            None => has_options.then_some("string"),
        }
    }

    /// Returns the options to choose from, possibly empty, or `None` if they cannot be carried. Titles are shown if they tell the options
    /// apart.
    fn options(&self) -> Option<Vec<FieldOption>> {
        let options: Vec<_> = match (&self.values, &self.titled) {
            (None, None) => return Some(Vec::new()),
            (Some(_), Some(_)) => return None,
            (Some(values), None) => {
                let names = self.enum_names.as_ref();
                if names.is_some_and(|names| names.len() != values.len()) {
                    return None;
                }
                let name = |at: usize| names.and_then(|names| names.get(at));
                let option = |(at, value): (usize, &Option<String>)| {
                    let value = value.clone()?;
                    Some(FieldOption { shown: name(at).unwrap_or(&value).clone(), value })
                };
                values.iter().enumerate().filter_map(option).collect()
            }
            (None, Some(titled)) => {
                let option = |TitledOption { value, title }: &TitledOption| FieldOption {
                    value: value.clone(),
                    shown: title.as_ref().unwrap_or(value).clone(),
                };
                titled.iter().map(option).collect()
            }
        };
        if options.is_empty() {
            return None;
        }
        let mut shown: Vec<_> = options.iter().map(|option| &option.shown).collect();
        shown.sort_unstable();
        shown.dedup();
        if shown.len() == options.len() {
            return Some(options);
        }
        Some(options.iter().map(|option| FieldOption::plain(&option.value)).collect())
    }
}
