internal import API
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Secrets

extension HTTPAdapter {
  /// An accepted stream of events.
  struct EventStream: Sendable {
    /// Status line and header fields. The body has no length and is not in parts: the end of the connection ends it.
    let head: ByteBuffer
    let source: any EventSource
  }

  /// True if a request asks for a stream of events.
  func isEventStream(_ head: HTTPRequest) -> Bool {
    guard head.method == .get, let target = head.path, target.utf8.count <= configuration.limits.urlBytes,
      let path = IncomingRequest.parts(of: target).path,
      case .route(let route, _) = api.table.find(.get, path)
    else { return false }
    return route.isEventStream
  }

  /// Opens a stream of events; nil for a request that gets another answer.
  @concurrent
  func eventStream(_ head: HTTPRequest, peer: String) async -> EventStream? {
    let began = ContinuousClock.now
    let incoming = IncomingRequest(
      head,
      peer: peer,
      addresses: addresses,
      origin: origin(host:),
      newID: { UUIDv7Generator.shared.next() }
    )
    guard incoming.namesHost, let path = incoming.path, let query = PercentCoding.query(incoming.query),
      case .route(let route, let parameters) = api.table.find(.get, path), enter()
    else { return nil }
    defer { leave() }
    let deadline = HandlerDeadline(configuration.limits.handlerTime)
    let request = apiRequest(incoming, .get, path, query, .none, deadline)
    let outcome = await run(request, route, parameters, deadline)
    guard case .events(let source) = outcome.answer.body, outcome.answer.status == 200 else { return nil }
    var result = Result(answer: outcome.answer, route: route, user: outcome.user)
    headers.complete(&result.answer, id: incoming.id, origin: incoming.headers["origin"])
    result.answer.headers["connection"] = "close"
    record(incoming, result, time: .now - began)
    return EventStream(head: Self.bytes(of: result.answer), source: source)
  }

  /// Returns status line and header fields of an answer with status 200.
  private static func bytes(of answer: APIAnswer) -> ByteBuffer {
    let head = answer.head(length: nil)
    var text = "HTTP/1.1 200 OK\r\n"
    for field in head.headerFields { text += "\(field.name.canonicalName): \(field.value)\r\n" }
    return ByteBuffer(string: text + "\r\n")
  }
}
