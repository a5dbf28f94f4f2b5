//! One item of an array, without a value for each of the others, which would need many times the memory of their text.

use super::{RawJson, slices};

impl RawJson {
    /// Returns an item of an array, as a share of the array's text. Returns `None` for an index that is too high, and for a value that is
    /// not an array.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let array = RawJson::parse(r#"[1, {"a":[2]}]"#)?;
    /// assert_eq!(array.item(1), Some(RawJson::parse(r#"{"a":[2]}"#)?));
    /// assert_eq!(array.item(2), None);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn item(&self, index: usize) -> Option<Self> {
        let place = slices::item(self.as_bytes(), index)?;
        Some(Self::from_checked(self.bytes().slice(place)))
    }

    /// Returns an array with one item replaced; everything else stays as it was written. Returns `None` where
    /// [`item`](Self::item) does.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let array = RawJson::parse("[1, 2 ]")?;
    /// assert_eq!(array.with_item(0, &RawJson::null()), Some(RawJson::parse("[null, 2 ]")?));
    /// assert_eq!(array.with_item(2, &RawJson::null()), None);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn with_item(&self, index: usize, value: &Self) -> Option<Self> {
        let text = self.as_bytes();
        let place = slices::item(text, index)?;
        Some(Self::joined(&[&text[..place.start], value.as_bytes(), &text[place.end..]]))
    }

    /// Returns an array with one more item at its end; the items before it stay as they were written. Returns `None` for a value that is
    /// not an array.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let array = RawJson::parse("[1, 2]")?;
    /// assert_eq!(array.with_new_item(&RawJson::null()), Some(RawJson::parse("[1, 2,null]")?));
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn with_new_item(&self, value: &Self) -> Option<Self> {
        let items = self.as_bytes().strip_prefix(b"[")?.strip_suffix(b"]")?.trim_ascii();
        let comma: &[u8] = if items.is_empty() { b"" } else { b"," };
        Some(Self::joined(&[b"[", items, comma, value.as_bytes(), b"]"]))
    }

    /// Creates an array of these items.
    pub(crate) fn array(items: &[Self]) -> Self {
        let size: usize = items.iter().map(|item| item.as_bytes().len() + 1).sum();
        let mut out = Vec::with_capacity(size + 2);
        out.push(b'[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(item.as_bytes());
        }
        out.push(b']');
        Self::from_checked(out.into())
    }

    /// Wraps parts that are one value together.
    fn joined(parts: &[&[u8]]) -> Self {
        Self::from_checked(parts.concat().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn one_item_changes_and_nothing_else_does() {
        let array = json(r#"[ [1, 2] , "],\"" ,{"a":[3]}]"#);
        let with = |index| array.with_item(index, &json("7")).map(|array| array.to_string());
        assert_eq!(with(0).as_deref(), Some(r#"[ 7 , "],\"" ,{"a":[3]}]"#));
        assert_eq!(with(1).as_deref(), Some(r#"[ [1, 2] , 7 ,{"a":[3]}]"#));
        assert_eq!(with(2).as_deref(), Some(r#"[ [1, 2] , "],\"" ,7]"#));
        assert_eq!((with(3), json("[]").with_item(0, &json("7"))), (None, None));
    }

    #[test]
    fn a_new_item_follows_the_last_one() {
        for (text, expected) in [
            ("[]", Some("[7]")),
            ("[ \n]", Some("[7]")),
            ("[[]]", Some("[[],7]")),
            (r#"[1, "]" ]"#, Some(r#"[1, "]",7]"#)),
            ("{}", None),
            (r#""[]""#, None),
            ("1", None),
        ] {
            let after = json(text).with_new_item(&json("7")).map(|array| array.to_string());
            assert_eq!(after.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_item_shares_the_text_of_its_array() {
        let array = json(&format!("[{}7]", "1,".repeat(100_000)));
        let item = array.item(100_000).unwrap();
        assert_eq!(item.as_str(), "7");
        assert!(array.as_bytes().as_ptr_range().contains(&item.as_bytes().as_ptr()));
    }
}
