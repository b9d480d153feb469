internal import API
internal import Domain
internal import FoundationEssentials
internal import Hummingbird

/// The head of a request, parsed but not validated.
struct IncomingRequest: Sendable {
  /// The id of the client, if it is a UUID, otherwise a new one.
  let id: UUID
  /// Nil for a method that no route answers.
  let method: APIMethod?
  /// True for `OPTIONS`.
  let isOptions: Bool
  /// The path as sent; nil for a target that is not a path.
  let path: String?
  /// The query as sent.
  let query: Substring
  /// The length of path and query in bytes.
  let urlBytes: Int
  let headers: APIHeaders
  let address: String
  let peer: String
  let origin: String
  /// True if the request names one host. A server must refuse any other (RFC 9112, section 3.2): a proxy in front may
  /// have chosen this server by another of the names.
  let namesHost: Bool
  /// The size of the body by `Content-Length`; nil if it is not known.
  let contentLength: Int?
  /// True if a body is announced, which may be empty.
  let hasBody: Bool

  init(
    _ head: HTTPRequest,
    peer: String,
    addresses: ClientAddress,
    origin: (String?) -> String,
    newID: () -> UUID
  ) {
    let hosts = [head.authority].compactMap(\.self) + Self.furtherHosts(head)
    namesHost = hosts.count == 1 && URLAuthority(hosts[0]) != nil
    var headers = APIHeaders(head.headerFields.map { ($0.name.canonicalName, $0.value) })
    if let authority = head.authority { headers["host"] = authority }
    id = headers["x-request-id"].flatMap { UUID(uuidString: $0) } ?? newID()
    method = APIMethod(rawValue: head.method.rawValue)
    isOptions = head.method == .options
    let target = head.path ?? ""
    urlBytes = target.utf8.count
    let (path, query) = Self.parts(of: target)
    self.path = path
    self.query = query
    self.peer = peer
    address = addresses.find(peer: peer, forwarded: headers.all("x-forwarded-for"))
    self.origin = origin(namesHost ? head.authority : nil)
    // A length that cannot be read is no missing one: the limit of the route refuses the body.
    contentLength = head.headerFields[.contentLength].map { Int(digits: $0) ?? .max }
    hasBody = (contentLength ?? 0) > 0 || head.headerFields[.transferEncoding] != nil
    self.headers = headers
  }

  /// Returns the values of `Host` after the first one, which the library keeps among the header fields.
  private static func furtherHosts(_ head: HTTPRequest) -> [String] {
    head.headerFields.filter { $0.name.canonicalName == "host" }.map(\.value)
  }

  /// Returns path and query of a target, which may be a whole URL (RFC 9112, section 3.2).
  static func parts(of target: String) -> (path: String?, query: Substring) {
    var rest = target[...]
    for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      rest = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
      if rest.hasPrefix("?") { return ("/", rest.dropFirst()) }
    }
    guard rest.hasPrefix("/"), !rest.contains("#") else { return (nil, "") }
    guard let mark = rest.firstIndex(of: "?") else { return (String(rest), "") }
    return (String(rest[..<mark]), rest[rest.index(after: mark)...])
  }
}
