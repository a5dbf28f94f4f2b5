//! A tool: its description for clients, and the function that runs.

use super::{arguments::CheckArguments, metadata::MetadataParts, name};
use crate::{
    Error, IntoToolResult, OutputSchema,
    answer::schema,
    handler::{self, BoxHandler, Handler},
    needs::Needs,
};
use mgp_transport::seam::{BoxPeerService, PeerService, boxed};
use mgp_types::{
    context::RiskLevel,
    json::RawJson,
    mcp::{self, CallToolResult, Icon, ToolAnnotations, tasks::TaskSupport},
    permission::Permission,
    tool_security::SecurityMetadata,
};
use schemars::JsonSchema;
use serde_json::Value;
use std::fmt;
use tower_layer::Layer;

/// A tool: its description for clients, and the function that runs.
///
/// ```
/// use mgp_server_sdk::{Tool, extract::Args};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// /// The greeted person.
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     /// The name of the greeted person.
///     name: String,
/// }
///
/// async fn greet(Args(Greet { name }): Args<Greet>) -> String {
///     format!("Hello, {name}!")
/// }
///
/// let tool = Tool::new("greet", "Greets somebody", greet).title("Greeting").read_only(true);
/// ```
pub struct Tool {
    definition: mcp::Tool,
    pub(super) metadata: MetadataParts,
    input: Option<Value>,
    output: Option<OutputSchema>,
    returned: Option<OutputSchema>,
    task: TaskSupport,
    check_arguments: Option<bool>,
    layers: Vec<ToolLayer>,
    needs: Needs,
    handler: BoxHandler<CallToolResult>,
}

/// A layer around one tool.
pub(crate) type ToolLayer = Box<dyn FnOnce(BoxPeerService) -> BoxPeerService + Send + Sync>;

/// The parts of a tool that passed the checks.
pub(crate) struct ToolParts {
    pub(crate) definition: mcp::Tool,
    pub(crate) task: TaskSupport,
    pub(crate) arguments: CheckArguments,
    pub(crate) layers: Vec<ToolLayer>,
    pub(crate) needs: Needs,
    pub(crate) handler: BoxHandler<CallToolResult>,
}

impl Tool {
    /// Creates a tool that runs a function, async or not. The schema of the arguments comes from the function's
    /// [`Args`](crate::extract::Args).
    pub fn new<H, M>(name: impl Into<String>, description: impl Into<String>, handler: H) -> Self
    where
        H: Handler<M, Output: IntoToolResult>,
    {
        let mut needs = Needs::default();
        H::needs(&mut needs);
        let (name, description) = (name.into(), Some(description.into()));
        Self {
            definition: mcp::Tool { name, description, ..mcp::Tool::default() },
            metadata: MetadataParts::default(),
            input: needs.schema().cloned(),
            output: None,
            returned: H::Output::output_schema(),
            task: TaskSupport::Forbidden,
            check_arguments: None,
            layers: Vec::new(),
            needs,
            handler: handler::boxed(handler, IntoToolResult::into_tool_result),
        }
    }

    /// Creates a tool with a hand-written schema; its function reads [`RawArgs`](crate::extract::RawArgs) or
    /// [`Args`](crate::extract::Args).
    pub fn raw<H, M>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: Value,
        handler: H,
    ) -> Self
    where
        H: Handler<M, Output: IntoToolResult>,
    {
        Self { input: Some(schema), ..Self::new(name, description, handler) }
    }

    /// Replaces the definition, except for its schemas. The arguments are not checked against the schema: the handler checks them.
    #[cfg(feature = "openapi")]
    pub(crate) fn defined(mut self, definition: mcp::Tool) -> Self {
        self.definition = definition;
        self.check_arguments = Some(false);
        self
    }

    /// Declares the schema of the tool's `structuredContent`.
    #[cfg(feature = "openapi")]
    pub(crate) fn returns(mut self, output: OutputSchema) -> Self {
        self.output = Some(output);
        self
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// Declares the type of the tool's `structuredContent`, for a function that returns its own [`CallToolResult`]. For a
    /// function that returns [`Json<T>`](crate::Json), the type is `T`; declaring another one is an error when the server is
    /// built.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.output = Some(OutputSchema::of::<T>());
        self
    }

    /// Sets all annotations, which describe the effects of the tool.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// Declares whether the tool changes nothing.
    #[must_use]
    pub fn read_only(self, yes: bool) -> Self {
        self.annotate(|annotations| annotations.read_only_hint = Some(yes))
    }

    /// Declares whether the tool may destroy or overwrite existing things.
    #[must_use]
    pub fn destructive(self, yes: bool) -> Self {
        self.annotate(|annotations| annotations.destructive_hint = Some(yes))
    }

    /// Declares whether a repeated call with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(self, yes: bool) -> Self {
        self.annotate(|annotations| annotations.idempotent_hint = Some(yes))
    }

    /// Declares whether the tool reaches things outside of the server's own domain.
    #[must_use]
    pub fn open_world(self, yes: bool) -> Self {
        self.annotate(|annotations| annotations.open_world_hint = Some(yes))
    }

    fn annotate(mut self, change: impl FnOnce(&mut ToolAnnotations)) -> Self {
        change(self.definition.annotations.get_or_insert_default());
        self
    }

    /// Adds an icon of the tool.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.definition.icons.push(icon);
        self
    }

    /// §4.3 Sets all security metadata, which describes the risks of the tool. Only MGP clients receive it.
    #[must_use]
    pub fn security(mut self, security: SecurityMetadata) -> Self {
        self.definition.security = Some(security);
        self
    }

    /// §4.4 Sets the risk level of the tool.
    #[must_use]
    pub fn risk(mut self, risk: RiskLevel) -> Self {
        self.declares(risk).risk_level = risk;
        self
    }

    /// §3.2 Sets the permissions that a call needs, by name. A tool that declares nothing else about its risks has a moderate risk.
    #[must_use]
    pub fn permissions<P: Into<String>>(mut self, permissions: impl IntoIterator<Item = P>) -> Self {
        let permissions = permissions.into_iter().map(Into::into).collect();
        self.declares(RiskLevel::Moderate).permissions_required = Some(permissions);
        self
    }

    /// Returns the security metadata, starting from a risk level if there is none yet.
    fn declares(&mut self, risk: RiskLevel) -> &mut SecurityMetadata {
        self.definition.security.get_or_insert_with(|| SecurityMetadata::new(risk))
    }

    /// Sets whether the tool runs as a [task](crate::task); by default, it never does. If a tool never runs as a task, but its
    /// handler takes a [`StartTask`](crate::task::StartTask), the server fails to build.
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = support;
        self
    }

    /// Sets whether the arguments of calls are checked against the tool's schema before its function runs; by default, the
    /// [server's setting](crate::Server::check_arguments) applies. Turn the check off if the function checks the arguments
    /// itself, or if the schema cannot be [checked against](crate::schema).
    ///
    /// ```
    /// use mgp_server_sdk::{Server, Tool, extract::RawArgs};
    /// use serde_json::json;
    ///
    /// // A pattern that looks ahead cannot be followed in linear time.
    /// let schema = json!({"type": "object", "properties": {"code": {"pattern": "^(?!0)[0-9]+$"}}});
    /// let tool = |schema| Tool::raw("lookup", "Looks up a code", schema, async |RawArgs(json): RawArgs| json.to_string());
    /// assert!(Server::new("codes", "1.0.0").tool(tool(schema.clone())).build().is_err());
    /// assert!(Server::new("codes", "1.0.0").tool(tool(schema).check_arguments(false)).build().is_ok());
    /// ```
    #[cfg(feature = "check-arguments")]
    #[must_use]
    pub fn check_arguments(mut self, yes: bool) -> Self {
        self.check_arguments = Some(yes);
        self
    }

    /// Wraps only this tool in a tower layer: a time limit, a limit of concurrent calls, or your own layer. The layer gets the
    /// call after its tool is found, and before the arguments are checked. The layer that is added last is the outermost.
    ///
    /// Cancelling a call drops the layer's future too. A call that becomes a [task](crate::task) is answered with the task, and
    /// the layer does not see the rest.
    ///
    /// ```
    /// use mgp_server_sdk::Tool;
    /// use std::time::Duration;
    /// use tower::{limit::ConcurrencyLimitLayer, timeout::TimeoutLayer};
    ///
    /// let tool = Tool::new("report", "Writes a report", async || "done")
    ///     .layer(ConcurrencyLimitLayer::new(2))
    ///     .layer(TimeoutLayer::new(Duration::from_secs(30)));
    /// ```
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<BoxPeerService, Service: PeerService> + Send + Sync + 'static,
    {
        self.layers.push(Box::new(move |inner| boxed(layer.layer(inner))));
        self
    }

    /// Adds a prefix to the name, and replaces missing settings by those of the tool's server.
    pub(crate) fn moved(mut self, prefix: &str, check_arguments: bool) -> Self {
        self.definition.name.insert_str(0, prefix);
        self.check_arguments.get_or_insert(check_arguments);
        self
    }

    /// Checks the tool. `check_arguments` is the server's setting for tools without one.
    pub(crate) fn into_parts(self, check_arguments: bool) -> Result<ToolParts, Error> {
        let Self { mut definition, metadata, task, layers, needs, handler, .. } = self;
        if !name::is_valid(&definition.name) {
            return Err(Error::ToolName(definition.name));
        }
        if needs.needs_starting_tasks() && task == TaskSupport::Forbidden {
            return Err(Error::StartsNoTask(definition.name));
        }
        if let Err(problem) = metadata.put(&mut definition) {
            return Err(Error::Metadata { tool: definition.name, problem });
        }
        for permission in definition.security.iter().flat_map(SecurityMetadata::permissions) {
            Permission::expand(permission)?;
        }
        let invalid = |problem| Error::Schema { tool: definition.name.clone(), problem };
        let of_object = |schema| schema::check_object(schema).map_err(invalid);
        let input = of_object(self.input.unwrap_or_else(schema::no_arguments))?;
        let arguments = CheckArguments::new(&input, self.check_arguments.unwrap_or(check_arguments))
            .map_err(|error| invalid(error.to_string()))?;
        if let (Some(declared), Some(returned)) = (&self.output, &self.returned)
            && declared.schema != returned.schema
        {
            let (declared, returned) = (declared.type_name, returned.type_name);
            return Err(Error::Output { tool: definition.name, declared, returned });
        }
        let output = match self.output.or(self.returned) {
            Some(OutputSchema { type_name, schema }) => {
                let schema = schema::check_object(schema)
                    .map_err(|problem| invalid(format!("output {type_name}: {problem}")))?;
                Some(RawJson::from_value(&schema)?)
            }
            None => None,
        };
        definition.output_schema = output;
        definition.input_schema = Some(RawJson::from_value(&input)?);
        Ok(ToolParts { definition, task, arguments, layers, needs, handler })
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.definition.name).finish_non_exhaustive()
    }
}
