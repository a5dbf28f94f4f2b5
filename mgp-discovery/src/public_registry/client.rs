//! The client of a registry.

use super::{Entry, EntryStatus, Page, PublicRegistryError};
use http::{Request, StatusCode, header::ACCEPT};
use mgp_transport::seam::Fetch;
use mgp_types::json::RawJson;
use std::{cmp::Reverse, sync::Arc};
use url::Url;

/// The most servers that a search returns.
pub const MAX_RESULTS: usize = 100;

/// The most pages that one search reads.
pub const MAX_PAGES: usize = 20;

/// The longest answer, in bytes.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// The number of servers that are requested per page.
const PAGE: &str = "100";

/// The most words of one search, and the most of them that are sent to the registry.
const MAX_WORDS: usize = 16;
const MAX_ASKED: usize = 3;

/// The longest text that can be searched for, in bytes.
const MAX_TEXT: usize = 256;

/// The versions of the API, the newer one first.
const VERSIONS: [&str; 2] = ["v0.1", "v0"];

/// The client of a registry that has the API of the public one.
#[derive(Debug, Clone)]
pub struct PublicRegistry {
    base: Url,
    fetch: Arc<dyn Fetch>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResult {
    /// The servers, each in its latest version.
    pub entries: Vec<Entry>,
    /// True if the registry may have more.
    pub more: bool,
    /// The number of entries that could not be read.
    pub unreadable: usize,
}

impl PublicRegistry {
    /// Creates a client of the registry at an address, such as `https://registry.example.com`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`PublicRegistryError::Url`] if the address cannot be that of a registry.
    pub fn new(url: &str, fetch: Arc<dyn Fetch>) -> Result<Self, PublicRegistryError> {
        let wrong = |reason: String| PublicRegistryError::Url { url: url.to_owned(), reason };
        let base = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong(format!("expected http or https, found the scheme {:?}", base.scheme())));
        }
        if base.query().is_some()
            || base.fragment().is_some()
            || !base.username().is_empty()
            || base.password().is_some()
        {
            return Err(wrong("expected an address without user, query and fragment".to_owned()));
        }
        Ok(Self { base, fetch })
    }

    /// Returns the address of the registry.
    #[must_use]
    pub fn url(&self) -> &str {
        self.base.as_str()
    }

    /// Finds the servers that have all of these words in their names, titles or descriptions. A registry itself searches the names for a
    /// single word. It is asked for the longest word and, if no result matches, for the next.
    ///
    /// # Errors
    /// [`PublicRegistryError`].
    pub async fn search(&self, words: &[String], limit: usize) -> Result<SearchResult, PublicRegistryError> {
        self.search_where(words, limit, |_| true).await
    }

    /// Finds servers like [`search`](Self::search), among the entries that `admits` returns `true` for. The others do not count towards
    /// the limit.
    ///
    /// # Errors
    /// [`PublicRegistryError`].
    pub(super) async fn search_where(
        &self,
        words: &[String],
        limit: usize,
        admits: fn(&Entry) -> bool,
    ) -> Result<SearchResult, PublicRegistryError> {
        let words = words.iter().flat_map(|words| words.split_whitespace()).map(str::to_lowercase);
        let mut words: Vec<String> = words.take(MAX_WORDS + 1).collect();
        words.sort_by_key(|word| Reverse(word.len()));
        if !(1..=MAX_WORDS).contains(&words.len()) || words[0].len() > MAX_TEXT {
            return Err(asked("search", &words.join(" "), "1 to 16 words of at most 256 bytes"));
        }
        let mut found = SearchResult::default();
        for word in words.iter().take(MAX_ASKED) {
            found = self.search_by(word, &words, limit.clamp(1, MAX_RESULTS), admits).await?;
            if !found.entries.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// Finds the admitted servers that the registry returns for one word and that match all words.
    async fn search_by(
        &self,
        word: &str,
        words: &[String],
        limit: usize,
        admits: fn(&Entry) -> bool,
    ) -> Result<SearchResult, PublicRegistryError> {
        let mut found = SearchResult::default();
        let fits = |entry: &Entry| {
            entry.status != EntryStatus::Deleted
                && entry.is_latest != Some(false)
                && admits(entry)
                && has(entry, words)
        };
        self.pages(word, |page| {
            found.unreadable += page.unreadable;
            for entry in page.entries.into_iter().filter(&fits) {
                // A registry that ignores `version` lists every version of a server.
                if found.entries.iter().any(|known| known.name == entry.name) {
                    continue;
                }
                if found.entries.len() == limit {
                    found.more = true;
                    return false;
                }
                found.entries.push(entry);
            }
            found.more = page.next_cursor.is_some();
            found.entries.len() < limit
        })
        .await?;
        Ok(found)
    }

    /// Returns the latest version of a server, by the server's whole name.
    ///
    /// # Errors
    /// [`PublicRegistryError::NotFound`] if the registry does not have the server, and the other errors.
    pub async fn server(&self, name: &str) -> Result<Entry, PublicRegistryError> {
        if name.is_empty() || name.len() > MAX_TEXT || name.chars().any(char::is_control) {
            return Err(asked("name", name, "the name of a server, 1 to 256 bytes"));
        }
        for version in VERSIONS {
            let url = self.at(&[version, "servers", name, "versions", "latest"]);
            if let Some(body) = self.get(&url).await? {
                let answer = |reason: String| PublicRegistryError::Answer { url: shown(&url), reason };
                let text = String::from_utf8(body).map_err(|_| answer("it is not UTF-8 text".to_owned()))?;
                let json = RawJson::parse(text).map_err(|error| answer(error.to_string()))?;
                let entry = Entry::read(&json).map_err(answer)?;
                // Only the requested server is returned, never another one.
                return if entry.name == name { Ok(entry) } else { Err(not_found(name)) };
            }
        }
        // An older registry has no address for a single server, but its list can be searched by name.
        let mut latest = None;
        let found = self
            .pages(name, |page| {
                let same = |entry: &Entry| entry.name == name && entry.is_latest != Some(false);
                latest = page.entries.into_iter().find(same);
                latest.is_none()
            })
            .await;
        match (latest, found) {
            (Some(entry), _) => Ok(entry),
            (None, Err(PublicRegistryError::Status { status: 404, .. }) | Ok(())) => Err(not_found(name)),
            (None, Err(error)) => Err(error),
        }
    }

    /// Reads pages of a search until `each` has enough, there are no more, or [`MAX_PAGES`] were read.
    async fn pages(
        &self,
        search: &str,
        mut each: impl FnMut(Page) -> bool,
    ) -> Result<(), PublicRegistryError> {
        let mut cursor: Option<String> = None;
        let mut at = VERSIONS.map(|version| self.at(&[version, "servers"])).into_iter();
        let mut base = at.next();
        for _ in 0..MAX_PAGES {
            let (mut body, mut asked) = (None, None);
            while let Some(url) = &base {
                let url = page_url(url, search, cursor.as_deref());
                body = self.get(&url).await?;
                asked = Some(url);
                if body.is_some() || cursor.is_some() {
                    break;
                }
                base = at.next();
            }
            let url = asked.as_ref().map(shown).unwrap_or_default();
            let Some(body) = body else { return Err(PublicRegistryError::Status { url, status: 404 }) };
            let page = Page::parse(&body)
                .map_err(|reason| PublicRegistryError::Answer { url: url.clone(), reason })?;
            let next = page.next_cursor.clone();
            if let Some(cursor) = next.as_ref().filter(|next| cursor.as_ref() == Some(next)) {
                return Err(PublicRegistryError::Circle { url, cursor: cursor.clone() });
            }
            if !each(page) || next.is_none() {
                return Ok(());
            }
            cursor = next;
        }
        Ok(())
    }

    /// Returns the body of an answer, or `None` if there is nothing at this address.
    async fn get(&self, url: &Url) -> Result<Option<Vec<u8>>, PublicRegistryError> {
        let wrong = |reason: String| PublicRegistryError::Url { url: shown(url), reason };
        let request = Request::get(url.as_str()).header(ACCEPT, "application/json").body(String::new());
        let request = request.map_err(|error| wrong(error.to_string()))?;
        let answer = self.fetch.fetch(request, MAX_BODY).await;
        let answer = answer.map_err(|source| PublicRegistryError::Fetch { url: shown(url), source })?;
        match answer.status() {
            StatusCode::OK => Ok(Some(answer.into_body())),
            StatusCode::NOT_FOUND => Ok(None),
            status => Err(PublicRegistryError::Status { url: shown(url), status: status.as_u16() }),
        }
    }

    /// Returns an address below the registry's own. Each step becomes one segment of the path, escaped if needed.
    fn at(&self, steps: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(steps);
        }
        url
    }
}

fn page_url(url: &Url, search: &str, cursor: Option<&str>) -> Url {
    let mut url = url.clone();
    let mut query = url.query_pairs_mut();
    query.append_pair("search", search).append_pair("version", "latest").append_pair("limit", PAGE);
    if let Some(cursor) = cursor {
        query.append_pair("cursor", cursor);
    }
    drop(query);
    url
}

/// Returns whether each of the words is in the name, the title or the description of a server.
fn has(entry: &Entry, words: &[String]) -> bool {
    let said = [Some(&entry.name), entry.title.as_ref(), entry.description.as_ref()];
    let said: Vec<_> = said.into_iter().flatten().map(|text| text.to_lowercase()).collect();
    words.iter().all(|word| said.iter().any(|text| text.contains(word)))
}

/// Returns an address without its query.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.into()
}

fn asked(what: &'static str, found: &str, expected: &'static str) -> PublicRegistryError {
    PublicRegistryError::Asked { what, found: found.chars().take(64).collect(), expected }
}

fn not_found(name: &str) -> PublicRegistryError {
    PublicRegistryError::NotFound(name.to_owned())
}
