internal import API
internal import Domain
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Secrets
internal import Synchronization

/// Answers the requests of the HTTP library with those of the API.
final class HTTPAdapter: Sendable {
  /// An answer with the values of its log line.
  struct Result {
    var answer: APIAnswer
    var route: Route?
    var user: UUID?
    /// The reader of the body; nil if nothing was read.
    var body: BodyReader?
  }

  let api: API
  let configuration: HTTPConfiguration
  let crossOrigin: CrossOrigin
  let deadlines = HandlerDeadlines()
  let headers: AnswerHeaders
  let addresses: ClientAddress
  private let isReady: @Sendable () -> Bool
  private let metrics: RequestMetrics?
  private let logger: Logger
  /// The port that is listened on, once it is known.
  private let port: Atomic<Int>
  private let flights = Atomic<Int>(0)

  /// - Parameters:
  ///   - isReady: returns true if the database answered lately.
  ///   - logger: receives a line for each request.
  init(
    _ api: API,
    _ configuration: HTTPConfiguration,
    isReady: @escaping @Sendable () -> Bool,
    metrics: RequestMetrics?,
    logger: Logger
  ) {
    self.api = api
    self.configuration = configuration
    self.isReady = isReady
    self.metrics = metrics
    self.logger = logger
    crossOrigin = CrossOrigin(allowed: configuration.allowedOrigins)
    headers = AnswerHeaders(crossOrigin, isSecure: configuration.publicOrigin?.isSecure ?? false)
    addresses = ClientAddress(trusted: configuration.trustedProxies)
    port = Atomic(configuration.address.port)
  }

  /// The number of requests being handled.
  var inFlight: Int { flights.load(ordering: .relaxed) }

  /// Records the port that is listened on.
  func listens(on port: Int) { self.port.store(port, ordering: .relaxed) }

  /// Answers a request.
  ///
  /// - Throws: the error of a connection that is lost, or of a body that cannot be sent in full.
  @concurrent
  func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    let began = ContinuousClock.now
    let incoming = IncomingRequest(
      request.head,
      peer: channel.remoteAddress?.ipAddress ?? "",
      addresses: addresses,
      origin: origin(host:),
      newID: { UUIDv7Generator.shared.next() }
    )
    var result = await result(of: incoming, request, writer)
    headers.compress(
      &result.answer,
      acceptEncoding: incoming.headers["accept-encoding"],
      path: incoming.path ?? ""
    )
    headers.complete(&result.answer, id: incoming.id, origin: incoming.headers["origin"])
    if await mustClose(incoming, result) { result.answer.headers["connection"] = "close" }
    record(incoming, result, time: .now - began)
    try await send(result.answer, isHead: incoming.method == .head, writer, channel)
  }

  /// Returns the answer to a request that cannot be decoded.
  func answer(to refusal: HTTPRefusal) -> (head: HTTPResponse, body: ByteBuffer) {
    let id = UUIDv7Generator.shared.next()
    var answer = Problem.answer(refusal.error, request: id, status: refusal.status)
    headers.complete(&answer, id: id, origin: nil)
    answer.headers["connection"] = "close"
    metrics?.count(route: nil, method: nil, status: answer.status, time: .zero)
    guard case .bytes(let bytes) = answer.body else { return (answer.head(length: 0), ByteBuffer()) }
    return (answer.head(length: bytes.count), ByteBuffer(bytes: bytes))
  }

  /// Sets the gauges; call it before each scrape.
  func setGauges(connections: Int) { metrics?.set(inFlight: inFlight, connections: connections) }

  /// Returns a place for a request in flight; false if there are too many.
  func enter() -> Bool {
    let number = flights.add(1, ordering: .relaxed).newValue
    if number <= configuration.limits.requestsInFlight { return true }
    flights.subtract(1, ordering: .relaxed)
    metrics?.countRefusal()
    return false
  }

  /// Takes a place for a request that had one before it waited.
  func enterAgain() { flights.add(1, ordering: .relaxed) }

  /// Releases the place of a request.
  func leave() { flights.subtract(1, ordering: .relaxed) }

  /// Returns the answer to a health check; nil for another path.
  func health(_ path: String) -> APIAnswer? {
    let isFine: Bool
    switch path {
    case "/livez": isFine = true
    case "/readyz": isFine = isReady()
    default: return nil
    }
    return APIAnswer(
      status: isFine ? 200 : 503,
      headers: ["content-type": "text/plain; charset=utf-8"],
      body: .bytes(Array((isFine ? "ok\n" : "no writable database was reached\n").utf8))
    )
  }

  /// The host and port of the server, for requests that name none.
  var host: String { origin(host: nil).split(separator: "/").last.map(String.init) ?? "" }

  func origin(host: String?) -> String {
    if let origin = configuration.publicOrigin { return origin.text }
    let address = configuration.address
    return PublicOrigin.local(
      host: host,
      listening: ListenAddress(host: address.host, port: port.load(ordering: .relaxed))
    )
  }

  /// True if the connection must be closed after the answer: by ``RequestForm``, or because much of the body may not have
  /// been read.
  private func mustClose(_ incoming: IncomingRequest, _ result: Result) async -> Bool {
    if incoming.headers["connection"] == "close" { return true }
    guard incoming.hasBody else { return false }
    if let body = result.body, await body.isFinished { return false }
    return incoming.contentLength.map { $0 > 65_536 } ?? true || result.body != nil
  }

  func record(_ incoming: IncomingRequest, _ result: Result, time: Duration) {
    let status = result.answer.status
    metrics?.count(route: result.route?.pattern, method: incoming.method, status: status, time: time)
    logger.log(
      level: status >= 500 ? .warning : .info,
      "request",
      metadata: [
        "request": "\(incoming.id.text)",
        "method": "\(incoming.method?.rawValue ?? "other")",
        "route": "\(result.route?.pattern ?? "none")", "status": "\(status)",
        "ms": "\(Int64(time / .milliseconds(1)))",
        "account": "\(result.user.map { $0.text } ?? "none")",
      ]
    )
  }

  /// Returns a body that is sent at once if it is small, otherwise in parts that the client must read in time.
  ///
  /// Only the part under way is copied: clients that read slowly share the bytes of a document.
  private static func body(_ bytes: [UInt8], _ channel: any Channel) -> ResponseBody {
    // The channel holds 64 KiB and the part above it.
    let part = 16_384
    guard bytes.count > 4 * part else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
    return ResponseBody(contentLength: bytes.count) { writer in
      for start in stride(from: 0, to: bytes.count, by: part) {
        try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + part, bytes.count)]))
        try await taken(by: channel)
      }
      try await writer.finish(nil)
    }
  }

  /// Waits until the channel has taken the parts written before.
  ///
  /// The writer of the library suspends while the channel is full, but learns that only when the channel's thread has
  /// run. A task that writes faster would put the whole body into memory for a client that does not read.
  private static func taken(by channel: any Channel) async throws {
    try await channel.eventLoop.submit {}.get()
  }

  @concurrent
  private func send(
    _ answer: APIAnswer,
    isHead: Bool,
    _ writer: consuming ResponseWriter,
    _ channel: any Channel
  ) async throws {
    switch answer.body {
    case .empty:
      try await writer.write(response: answer.head(length: 0), body: ResponseBody())
    case .bytes(let bytes):
      let body = isHead ? ResponseBody() : Self.body(bytes, channel)
      try await writer.write(response: answer.head(length: bytes.count), body: body)
    case .stream(let parts, let length):
      var head = answer.head(length: length)
      if isHead {
        // Without a length, the library would announce parts that do not come.
        if length == nil { head.headerFields[.connection] = "close" }
        return try await writer.write(response: head, body: ResponseBody())
      }
      try await writer.write(
        response: head,
        body: ResponseBody(contentLength: length) { writer in
          for try await part in parts {
            try await writer.write(ByteBuffer(bytes: part))
            try await Self.taken(by: channel)
          }
          try await writer.finish(nil)
        }
      )
    case .events(let source):
      defer { source.stop() }
      if isHead {
        var head = answer.head(length: nil)
        head.headerFields[.connection] = "close"
        return try await writer.write(response: head, body: ResponseBody())
      }
      try await writer.write(
        response: answer.head(length: nil),
        body: ResponseBody { writer in
          for await part in source.parts { try await writer.write(ByteBuffer(bytes: part)) }
          try await writer.finish(nil)
        }
      )
    }
  }
}

extension EventSource {
  /// The events as a sequence. A client that does not read misses events.
  fileprivate var parts: AsyncStream<[UInt8]> {
    AsyncStream(bufferingPolicy: .bufferingNewest(4)) { continuation in
      start { part in
        if let part { continuation.yield(part) } else { continuation.finish() }
      }
    }
  }
}

extension APIAnswer {
  /// Returns status and header fields for the library.
  ///
  /// - Parameter length: the size of the body; nil if it is not known.
  func head(length: Int?) -> HTTPResponse {
    var fields = HTTPFields()
    fields.reserveCapacity(headers.fields.count + 1)
    for field in headers.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      fields.append(HTTPField(name: name, value: field.value))
    }
    if let length, status != 204, status != 304 { fields[.contentLength] = "\(length)" }
    return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
  }
}
