//! One call: its request, its further pages, and its result.

use crate::ToolError;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use mgp_openapi::{ApiRequest, ApiResponse, Operation, join_pages};
use mgp_transport::http::origin::{OriginClient, OriginError, OriginRequest};
use mgp_types::{
    error::ErrorCode,
    json::RawJson,
    mcp::{CallToolResult, ContentBlock},
};

/// The requests of all calls to an API.
#[derive(Debug)]
pub(super) struct ApiCalls {
    pub(super) client: OriginClient,
    /// The most bytes of all pages together.
    pub(super) limit: usize,
    /// The most pages that are joined.
    pub(super) pages: usize,
}

impl ApiCalls {
    /// Calls an operation.
    pub(super) async fn call(
        &self,
        operation: &Operation,
        arguments: &RawJson,
    ) -> Result<CallToolResult, ToolError> {
        let request = operation.request(arguments).map_err(ToolError::invalid_arguments)?;
        let first = self.send(&request).await?;
        if first.status().is_redirection() {
            let to =
                first.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            let to: String = to.chars().take(200).collect();
            let problem = format!("{} redirects to {to:?}, which is not followed", first.status());
            return Err(ToolError::new(problem));
        }
        let (joined, has_more) = self.rest(operation, request, &first).await?;
        let content_type = first.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let body = joined.as_ref().map_or(first.body().as_slice(), |joined| joined.as_str().as_bytes());
        let mut result = operation.result(first.status().as_u16(), content_type, body);
        if has_more {
            let pages = self.pages;
            let note = format!(
                "These are the first {pages} pages. More follow: narrow the request, or ask for a later page."
            );
            result.content.push(ContentBlock::text(note));
        }
        Ok(result)
    }

    /// Reads the pages after the first. Returns all of them joined, and whether there are more; `None` if there is only one page.
    async fn rest(
        &self,
        operation: &Operation,
        mut request: ApiRequest,
        first: &Response<Vec<u8>>,
    ) -> Result<(Option<RawJson>, bool), ToolError> {
        let mut next = self.next(operation, &request, first);
        if next.is_none() || self.pages < 2 {
            return Ok((None, false));
        }
        let mut pages: Vec<RawJson> = Vec::new();
        let mut size = first.body().len();
        pages.extend(page(first));
        while let Some(following) = next.take_if(|_| pages.len() < self.pages) {
            let response = self.send(&following).await?;
            size += response.body().len();
            // What was read so far is still an answer.
            let Some(read) =
                page(&response).filter(|_| response.status() == StatusCode::OK && size <= self.limit)
            else {
                next = Some(following);
                break;
            };
            pages.push(read);
            request = following;
            next = self.next(operation, &request, &response);
        }
        // Pages that cannot be joined stay single: the first is the answer.
        let joined = join_pages(&pages).filter(|_| pages.len() > 1);
        Ok((joined, next.is_some()))
    }

    fn next(
        &self,
        operation: &Operation,
        request: &ApiRequest,
        response: &Response<Vec<u8>>,
    ) -> Option<ApiRequest> {
        let links = response.headers().get_all(header::LINK).iter();
        let links: Vec<&str> = links.filter_map(|link| link.to_str().ok()).collect();
        let response =
            ApiResponse { status: response.status().as_u16(), links: &links, body: response.body() };
        operation.next_page(self.client.base_url(), request, response)
    }

    async fn send(&self, request: &ApiRequest) -> Result<Response<Vec<u8>>, ToolError> {
        let request = to_send(request)?;
        self.client.send(request).await.map_err(|error| match error {
            OriginError::Authorize(error) => {
                ToolError::protocol(ErrorCode::AuthRequired.error(error.to_string()))
            }
            error => ToolError::new(error),
        })
    }
}

/// Returns the JSON of a response.
fn page(response: &Response<Vec<u8>>) -> Option<RawJson> {
    RawJson::parse(String::from_utf8(response.body().clone()).ok()?).ok()
}

/// Returns the form in which a request is sent.
fn to_send(request: &ApiRequest) -> Result<OriginRequest, ToolError> {
    let invalid =
        |name: &str| ToolError::invalid_arguments(format!("the header {name:?} cannot have this value"));
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let header = HeaderName::try_from(name.as_str()).map_err(|_| invalid(name))?;
        headers.append(header, HeaderValue::try_from(value.as_str()).map_err(|_| invalid(name))?);
    }
    let mut body = Vec::new();
    if let Some(sent) = &request.body {
        let kind = HeaderValue::try_from(sent.content_type.as_str()).map_err(|_| invalid("content-type"))?;
        headers.insert(header::CONTENT_TYPE, kind);
        body.clone_from(&sent.bytes);
    }
    let method = http::Method::from_bytes(request.method.as_str().as_bytes());
    let method = method.map_err(|_| ToolError::new("the method of the operation is not one of HTTP"))?;
    Ok(OriginRequest { method, path_and_query: request.path_and_query.clone(), headers, body })
}
