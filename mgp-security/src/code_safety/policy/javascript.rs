//! The names of JavaScript, by the references of ECMAScript 2025, Node.js 24, Deno, Bun and browsers.
//!
//! Modules are written without `node:`, and with dots for the parts of a path.

use super::table::{Policy, Special, Table};
use crate::code_safety::capability::Capability as C;
use std::sync::LazyLock;

/// The policy of JavaScript and TypeScript.
pub(in crate::code_safety) static JAVASCRIPT: LazyLock<Policy> = Policy::of(|| Policy::new(&TABLE));

const TABLE: Table = Table {
    names: &[
        (
            C::Eval,
            "eval Function GeneratorFunction AsyncFunction AsyncGeneratorFunction ShadowRealm importScripts execScript Worker \
             SharedWorker vm vm2 isolated-vm repl inspector worker_threads.Worker module.createRequire module.register* module.Module \
             module._* module.runMain module.wrap module.load module.constructor module.syncBuiltinESMExports require.extensions \
             import.meta.require data:* blob:* http:* https:* javascript:* file:* safe-eval static-eval notevil \
             node-eval require-from-string serialize-javascript node-serialize funcster cryo esm ts-node jsdom navigator.serviceWorker \
             serviceWorker test.mock.module v8.setFlagsFromString process.mainModule Bun.plugin bun.plugin",
        ),
        (
            C::Process,
            "child_process cluster process.kill process.abort process.execve process._kill process._debugProcess process.setuid \
             process.setgid process.seteuid process.setegid process.setgroups process.initgroups execa cross-spawn shelljs zx node-pty \
             spawn-sync sudo-prompt pm2 forever nodemon npm-run concurrently Deno.run Deno.Command Deno.kill Bun.spawn \
             Bun.spawnSync Bun.$ bun.$ bun.spawn bun.spawnSync puppeteer playwright simple-git electron worker-farm",
        ),
        (
            C::Native,
            "process.binding process._linkedBinding process.dlopen process._* ffi ffi-napi koffi ref-napi bindings node-gyp-build \
             Deno.dlopen Deno.UnsafePointer Deno.UnsafeFnPointer Deno.UnsafeCallback bun:ffi crypto.setEngine wasi internalBinding sqlite.backup",
        ),
        (
            C::Reflection,
            "module.parent.* module.children module.paths require.cache require.main.* Error.prepareStackTrace arguments.callee \
             async_hooks.executionAsyncResource __lookupGetter__ __lookupSetter__ __defineGetter__ __defineSetter__ v8.startupSnapshot primordials",
        ),
        (C::Socket, "net dgram tls RTCPeerConnection WebTransport"),
        (
            C::DeleteTree,
            "fs.rm fs.rmSync fs.promises.rm rimraf del fs-extra.remove fs-extra.removeSync fs-extra.emptyDir",
        ),
        (
            C::Harmless,
            "require.resolve require.main.filename require.main.path require.main.id module.parent.filename module.exports module.id module.filename module.loaded module.isBuiltin module.builtinModules \
             process.argv process.argv0 process.env process.exit process.exitCode process.stdout process.stderr process.stdin process.cwd \
             process.platform process.version process.versions process.arch process.pid process.ppid process.hrtime process.memoryUsage \
             process.uptime process.nextTick process.cpuUsage process.on process.once process.off process.emitWarning process.title \
             process.release process.execPath process.execArgv process.config process.features process.resourceUsage \
             process.removeListener process.allowedNodeEnvironmentFlags process.availableMemory process.constrainedMemory \
             fs.readFile fs.readFileSync fs.readdir fs.readdirSync fs.stat fs.statSync fs.lstat fs.lstatSync fs.exists fs.existsSync \
             fs.access fs.accessSync fs.realpath fs.realpathSync fs.createReadStream fs.constants fs.opendir fs.opendirSync \
             fs.readlink fs.readlinkSync fs.Stats fs.Dirent fs.watch fs.watchFile fs.unwatchFile fs.globSync fs.glob \
             fs.promises.readFile fs.promises.readdir fs.promises.stat fs.promises.lstat fs.promises.access fs.promises.realpath \
             fs.promises.opendir fs.promises.readlink fs.promises.constants fs.promises.watch fs.promises.glob fs.ReadStream fs.read \
             fs.readSync fs.close fs.closeSync fs.fstat fs.fstatSync \
             Math.* Function.prototype.toString Object.keys Object.freeze Object.is Object.hasOwn Object.fromEntries Object.groupBy \
             Object.entries Object.values Object.isFrozen Object.isSealed Object.seal Object.preventExtensions Object.isExtensible \
             Deno.readTextFile Deno.readTextFileSync Deno.readFile Deno.readFileSync Deno.readDir Deno.readDirSync Deno.stat Deno.args \
             Deno.cwd Deno.exit Deno.version Deno.build Deno.stdin Deno.stdout Deno.stderr Deno.inspect Deno.test Bun.file Bun.file.* Bun.version \
             import.meta.url import.meta.dirname import.meta.filename import.meta.main import.meta.env import.meta.resolve \
             Object.prototype.hasOwnProperty Object.prototype.toString Object.prototype.propertyIsEnumerable \
             document.title navigator.language navigator.languages navigator.onLine navigator.userAgent \
             worker_threads.isMainThread worker_threads.threadId v8.serialize v8.deserialize v8.getHeapStatistics",
        ),
        (
            C::Harmless,
            "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError \
             FinalizationRegistry Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map NaN \
             Number Object Promise RangeError ReferenceError RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal \
             TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet AsyncDisposableStack \
             DisposableStack decodeURI decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt undefined \
             unescape arguments exports __dirname __filename console crypto performance structuredClone queueMicrotask atob btoa \
             clearImmediate clearInterval clearTimeout cancelAnimationFrame Buffer URL URLSearchParams URLPattern TextDecoder TextEncoder \
             TextDecoderStream TextEncoderStream AbortController AbortSignal Blob CustomEvent DOMException Event EventTarget FormData Headers \
             Response ReadableStream WritableStream TransformStream CompressionStream DecompressionStream \
             CountQueuingStrategy ByteLengthQueuingStrategy \
             Array.prototype.* Number.prototype.* Date.prototype.*",
        ),
        (
            C::Introspection,
            "require.main module.parent Array.prototype Number.prototype Date.prototype globalThis Math Function.prototype Reflect Proxy Object.getPrototypeOf Object.setPrototypeOf \
             Object.getOwnPropertyDescriptor Object.getOwnPropertyDescriptors Object.getOwnPropertyNames Object.getOwnPropertySymbols \
             Object.defineProperty Object.defineProperties Object.prototype Object.create require module \
             import.meta.* setTimeout.call setTimeout.apply setInterval.call setInterval.apply v8 async_hooks worker_threads diagnostics_channel trace_events domain URL.createObjectURL ",
        ),
        (
            C::Runtime,
            "process Deno Bun bun WebAssembly document location history navigator customElements \
             os.setPriority util.inspect.defaultOptions sea sqlite test chrome browser electronAPI indexedDB caches",
        ),
        (
            C::Network,
            "fetch XMLHttpRequest WebSocket EventSource http https http2 dns axios node-fetch undici got superagent request ws socket.io \
             socket.io-client nodemailer ssh2 ftp basic-ftp express koa fastify hapi restify mysql mysql2 pg mongodb mongoose redis ioredis \
             amqplib kafkajs aws-sdk @aws-sdk* navigator.sendBeacon Image Audio open window.open Deno.connect* Deno.listen* Deno.serve \
             Deno.fetch Bun.serve Bun.connect Bun.listen Bun.fetch bun.serve bun.connect bun.listen bun.sql BroadcastChannel Request \
             node-telnet-client needle ky isomorphic-fetch cross-fetch",
        ),
        (
            C::Delete,
            "fs.unlink fs.unlinkSync fs.rmdir fs.rmdirSync fs.promises.unlink fs.promises.rmdir Deno.remove Deno.removeSync",
        ),
        (
            C::WriteAnywhere,
            "fs fs.promises fs-extra graceful-fs process.chdir process.umask process.report process.setSourceMapsEnabled \
             process.loadEnvFile Deno.write* Deno.mkdir* Deno.rename* Deno.symlink* Deno.link* Deno.chmod* Deno.chown* Deno.create* \
             Deno.open* Deno.truncate* Deno.copyFile* Deno.chdir Deno.make* Bun.write bun.write v8.writeHeapSnapshot tmp tempy \
             write-file-atomic jsonfile mkdirp Bun.file.write Bun.file.writer Bun.file.delete Bun.file.unlink",
        ),
        (C::Write, "localStorage sessionStorage"),
    ],
    members: &[
        (
            C::Reflection,
            "mainModule prepareStackTrace __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__",
        ),
        (
            C::Introspection,
            "constructor __proto__ callee caller getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors defaultView \
             contentWindow contentDocument ownerDocument view currentTarget startContainer endContainer commonAncestorContainer \
             getRootNode createElement setAttribute addModule createContextualFragment defineProperty getFunction getThis ownKeys innerHTML outerHTML insertAdjacentHTML srcdoc srcDoc dangerouslySetInnerHTML",
        ),
        (
            C::Eval,
            "createRequire getBuiltinModule runInThisContext runInNewContext runInContext compileFunction _load _compile _extensions \
             setFlagsFromString evaluateHandle",
        ),
        (C::Native, "_linkedBinding dlopen process_binding internalBinding"),
        (
            C::Process,
            "execSync spawnSync execFile execFileSync child_process _debugProcess _kill reallyExit execve",
        ),
        (C::Runtime, "binding"),
        (C::Network, "sendBeacon"),
        (C::DeleteTree, "rmSync"),
        (C::Delete, "unlink unlinkSync rmdir rmdirSync rm"),
        (
            C::WriteAnywhere,
            "writeFile writeFileSync appendFile appendFileSync createWriteStream mkdir mkdirSync mkdtemp mkdtempSync rename renameSync \
             symlink symlinkSync link linkSync chmod chmodSync chown chownSync copyFile copyFileSync cp cpSync truncate truncateSync \
             openSync writeSync utimes utimesSync outputFile writeTextFile writeTextFileSync chdir writevSync ftruncateSync openAsBlob",
        ),
    ],
    plain_members: "__dirname __filename __typename __esModule __v __html",
    specials: &[
        (
            Special::Attribute,
            "Reflect.get Reflect.set Reflect.has Reflect.deleteProperty Reflect.defineProperty Reflect.getOwnPropertyDescriptor",
        ),
        (Special::Attribute, "Object.getOwnPropertyDescriptor Object.defineProperty"),
        (
            Special::Import,
            "require module.require require.main.require process.getBuiltinModule process.mainModule.require",
        ),
        (Special::Scope, "globalThis window self global top parent frames "),
        (
            Special::WriteFile,
            "fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync fs.promises.writeFile fs.promises.appendFile \
             fs.createWriteStream Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Deno.writeFileSync Bun.write",
        ),
        (Special::Open, "fs.readFile fs.readFileSync fs.createReadStream fs.promises.readFile fs.ReadStream"),
        (
            Special::Timer,
            "setTimeout setInterval setImmediate requestAnimationFrame timers.setTimeout timers.setInterval",
        ),
        (
            Special::Number,
            "Number parseInt parseFloat Number.parseInt Number.parseFloat Math.abs Math.ceil Math.floor Math.round Math.trunc Math.min \
             Math.max Math.random Math.sqrt Math.pow Math.sign Math.log Math.log2 Math.log10 Math.exp Math.hypot Math.imul Date.now \
             performance.now",
        ),
    ],
    builtins: "eval Function GeneratorFunction AsyncFunction AsyncGeneratorFunction ShadowRealm importScripts Worker SharedWorker \
        require module.require process globalThis window self global frames module Reflect Proxy WebAssembly fetch XMLHttpRequest WebSocket \
        EventSource Deno Bun setTimeout setInterval child_process RTCPeerConnection document internalBinding primordials",
    modules: "child_process cluster vm net dgram tls http https http2 dns inspector repl worker_threads wasi v8 async_hooks domain \
        trace_events bun sqlite sea",
    allowed: "assert buffer console crypto events fs os path perf_hooks punycode querystring readline stream string_decoder timers url util \
        zlib",
    replacements: &[("eval", "JSON.parse")],
};
