//! `resources/read`, `resources/subscribe`, `resources/unsubscribe`.

use super::{Resource, ResourceTemplate, definition::ReadContext, uri, uri_template::UriTemplate};
use crate::{
    Error, ToolError,
    call::{App, Arguments, Call},
    completion::Completers,
    extract::Uri,
    handler::{BoxHandler, RunningHandler, replied},
    needs::{HandlerKind, Needs},
    notify::Subscriptions,
};
use mgp_transport::seam::{Incoming, Reply, Role, Routes};
use mgp_types::{
    json::RawJson,
    mcp::{ReadResource, ReadResourceResult, ResourceUri, SubscribeResource, UnsubscribeResource},
    rpc::{Empty, ErrorObject},
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The resources of a server.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    by_uri: HashMap<String, Readable>,
    templates: Vec<(UriTemplate, Readable, Template)>,
    definitions: Vec<RawJson>,
    template_definitions: Vec<RawJson>,
}

#[derive(Debug)]
struct Template {
    text: String,
    completers: Completers,
}

#[derive(Debug)]
struct Readable {
    mime_type: Arc<str>,
    handler: BoxHandler<ReadResourceResult>,
}

impl Resources {
    /// Collects resources. `check` checks the needs of the handlers.
    pub(crate) fn new(
        resources: Vec<Resource>,
        templates: Vec<ResourceTemplate>,
        mut check: impl FnMut(HandlerKind, &str, &Needs) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut all = Self::default();
        for Resource { definition, needs, handler } in resources {
            uri::check(&definition.uri)?;
            check(HandlerKind::Resource, &definition.uri, &needs)?;
            let readable = Readable::new(definition.mime_type.as_deref(), handler);
            all.definitions.push(RawJson::from_value(&definition)?);
            if all.by_uri.insert(definition.uri.clone(), readable).is_some() {
                return Err(Error::Duplicate { kind: "resource", name: definition.uri });
            }
        }
        let mut seen = HashSet::new();
        for ResourceTemplate { definition, needs, handler, completers } in templates {
            let text = definition.uri_template.clone();
            check(HandlerKind::ResourceTemplate, &text, &needs)?;
            completers.needs().try_for_each(|needs| check(HandlerKind::Completion, &text, needs))?;
            let template = UriTemplate::parse(&text)
                .map_err(|problem| Error::UriTemplate { template: text.clone(), problem })?;
            completers.check(&text, template.names())?;
            if !seen.insert(text.clone()) {
                return Err(Error::Duplicate { kind: "resource template", name: text });
            }
            let readable = Readable::new(definition.mime_type.as_deref(), handler);
            all.template_definitions.push(RawJson::from_value(&definition)?);
            all.templates.push((template, readable, Template { text, completers }));
        }
        Ok(all)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_uri.is_empty() && self.templates.is_empty()
    }

    pub(crate) fn definitions(&self) -> (&[RawJson], &[RawJson]) {
        (&self.definitions, &self.template_definitions)
    }

    /// Returns the functions that complete the variables of a template, or `None` if there is no such template.
    pub(crate) fn completers(&self, template: &str) -> Option<&Completers> {
        let found = self.templates.iter().find(|(_, _, known)| known.text == template);
        found.map(|(_, _, known)| &known.completers)
    }

    pub(crate) fn has_completers(&self) -> bool {
        self.templates.iter().any(|(_, _, template)| !template.completers.is_empty())
    }

    fn find(&self, uri: &str) -> Option<(&Readable, Vec<(String, String)>)> {
        if let Some(readable) = self.by_uri.get(uri) {
            return Some((readable, Vec::new()));
        }
        self.templates.iter().find_map(|(template, readable, _)| Some((readable, template.matches(uri)?)))
    }

    /// Returns `resources/read`.
    pub(crate) fn reading() -> Routes<(Arc<Self>, Arc<App>)> {
        Routes::new().route(ReadResource, Role::Anyone, async |(resources, app): (Arc<Self>, _), message| {
            replied(resources.read(message, app)?).await
        })
    }

    /// Returns `resources/subscribe` and `resources/unsubscribe`.
    pub(crate) fn subscriptions() -> Routes<Arc<Self>> {
        Routes::new()
            .route(SubscribeResource, Role::Anyone, async |resources: Arc<Self>, message| {
                Ok(resources.subscribe(&message)?)
            })
            .route(UnsubscribeResource, Role::Anyone, async |_, message| Ok(unsubscribe(&message)?))
    }

    /// Answers `resources/read`.
    fn read(
        &self,
        mut incoming: Incoming,
        app: Arc<App>,
    ) -> Result<RunningHandler<ReadResourceResult>, ErrorObject> {
        let uri = uri_in(&incoming)?;
        let Some((Readable { mime_type, handler }, variables)) = self.find(&uri) else {
            return Err(not_found(&uri));
        };
        let uri: Arc<str> = uri.into();
        incoming.ext.insert(Uri(uri.clone()));
        incoming.ext.insert(ReadContext { uri, mime_type: mime_type.clone() });
        Ok(handler.start(Call::new(incoming, Arguments::Texts(variables), app)))
    }

    /// Answers `resources/subscribe`.
    fn subscribe(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let uri = uri_in(incoming)?;
        if self.find(&uri).is_none() {
            return Err(not_found(&uri));
        }
        if let Some(session) = incoming.session() {
            Subscriptions::of(session).add(uri)?;
        }
        Ok(Reply::from_value(&Empty::default()))
    }
}

impl Readable {
    fn new(mime_type: Option<&str>, handler: BoxHandler<ReadResourceResult>) -> Self {
        Self { mime_type: mime_type.unwrap_or_default().into(), handler }
    }
}

/// Answers `resources/unsubscribe`. A URI without a subscription is not an error.
fn unsubscribe(incoming: &Incoming) -> Result<Reply, ErrorObject> {
    let uri = uri_in(incoming)?;
    if let Some(session) = incoming.session() {
        Subscriptions::of(session).remove(&uri);
    }
    Ok(Reply::from_value(&Empty::default()))
}

fn uri_in(incoming: &Incoming) -> Result<String, ErrorObject> {
    Ok(incoming.params.decode::<ResourceUri>()?.uri)
}

fn not_found(uri: &str) -> ErrorObject {
    ToolError::resource_not_found(uri).into_error()
}
