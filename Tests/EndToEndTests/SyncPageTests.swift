import Domain
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The protocol's page of the guide, replayed: each request is sent to a server, in the order of the page, and the answer
/// has the members and values that the page shows.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SyncPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/guide/sync.md")

  private func replay(_ text: String) async throws -> [String] {
    try await Shell.open { shell in
      let server = try shell.begin("serve", "--listen", "0", "--log-format", "json")
      try await server.says("serving the API")
      let port = try #require(ServeTests.port(in: server.said))
      var replay = PageReplay(base: "http://127.0.0.1:\(port)", shell: shell)
      try replay.prepare()
      for exchange in PageExchange.all(in: text) { try await replay.run(exchange) }
      server.signal(SIGTERM)
      #expect(try await server.end().status == 0)
      return replay.faults
    }
  }

  @Test func `every request of the page gets the answer of the page`() async throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let exchanges = PageExchange.all(in: text)
    #expect(exchanges.count >= 15)
    // The page shows each route that a client needs.
    for route in ["devices", "changes", "exchange", "status", "known", "resolve", "retry"] {
      #expect(exchanges.contains { $0.path.contains("/v1/sync/") && $0.path.contains(route) }, "\(route)")
    }
    let faults = try await replay(text)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test func `a member that the server does not send, or a value that differs, is found`() async throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let first = try #require(PageExchange.all(in: text).first)
    for wrong in [
      first.text.replacing("\n201\n{", with: "\n201\n{\"age\": 7, "),
      first.text.replacing("\n201\n", with: "\n200\n"),
      first.text.replacing("\"token_type\": \"Bearer\"", with: "\"token_type\": \"Basic\""),
      first.text.replacing("\"token_type\": \"Bearer\", ", with: ""),
    ] {
      #expect(wrong != first.text)
      let faults = try await replay("```http\n\(wrong)\n```\n")
      #expect(faults.count == 1, "\(faults)")
    }
  }
}

/// A request of a page with its answer: a block with the language `http`.
struct PageExchange {
  let text: String
  let method: String
  let path: String
  let headers: [String]
  let body: String
  let status: Int
  let answerHeaders: [String]
  let answer: String

  static func all(in page: String) -> [PageExchange] {
    page.components(separatedBy: "```http\n").dropFirst().compactMap {
      PageExchange($0.components(separatedBy: "\n```")[0])
    }
  }

  /// Reads `METHOD PATH`, header lines and a body; then the status, header lines and a body of the answer.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let middle = lines.firstIndex(where: { $0.wholeMatch(of: /\d{3}/) != nil }) else { return nil }
    func parts(_ lines: some Sequence<String>) -> (headers: [String], body: String) {
      let isHeader: (String) -> Bool = { $0.wholeMatch(of: /[A-Z][A-Za-z-]+: .*/) != nil }
      return (
        lines.prefix(while: isHeader).map { $0 },
        lines.drop(while: isHeader).joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
      )
    }
    let first = lines[0].split(separator: " ").map(String.init)
    guard first.count == 2, let status = Int(lines[middle]) else { return nil }
    self.text = text
    (method, path) = (first[0], first[1])
    (headers, body) = parts(lines[1..<middle])
    self.status = status
    (answerHeaders, answer) = parts(lines[(middle + 1)...])
  }
}

/// Sends the requests of a page, and compares the answers. `{name}` stands for a value: the first answer with it gives the
/// value, later answers have the same one. `…` stands for any value, as the name of a member
/// for any further members, and at the end of a list for any further elements.
struct PageReplay {
  let base: String
  let shell: Shell
  private(set) var faults: [String] = []
  private var values: [String: JSONValue] = [:]

  init(base: String, shell: Shell) {
    (self.base, self.shell) = (base, shell)
  }

  /// Chooses what a client chooses: ids, and a file.
  mutating func prepare() throws {
    for name in ["device", "other_device", "order", "unknown", "file"] {
      values[name] = .string(UUID().uuidString.lowercased())
    }
    let picture = try #require(Data(base64Encoded: Self.picture))
    try picture.write(to: shell.folder.appending(path: "picture"))
    values["size"] = .integer(picture.count)
  }

  /// A picture of one pixel.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  mutating func run(_ exchange: PageExchange) async throws {
    var arguments = ["-sS", "-i", "-X", exchange.method]
    if exchange.method == "HEAD" { arguments = ["-sS", "-I"] }
    if let token = values["token"]?.string { arguments += ["-H", "Authorization: Bearer \(token)"] }
    for header in exchange.headers { arguments += ["-H", filled(header)] }
    if exchange.body.hasPrefix("<") {
      arguments += ["--data-binary", "@\(shell.folder.appending(path: "picture").path)"]
    } else if !exchange.body.isEmpty {
      arguments += ["-H", "Content-Type: application/json", "-d", filled(exchange.body)]
    }
    let place = "\(exchange.method) \(exchange.path)"
    let outcome = try await shell.program("/usr/bin/curl", arguments + [base + filled(exchange.path)])
    let parts = outcome.output.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1).map(
      String.init
    )
    let head = (parts.first ?? "").split(separator: "\n").map(String.init)
    let status = head.first?.split(separator: " ").dropFirst().first.map(String.init) ?? outcome.errors
    guard status == "\(exchange.status)" else {
      faults.append("\(place): \(status) instead of \(exchange.status): \(parts.last ?? "")")
      return
    }
    for header in exchange.answerHeaders
    where !head.contains(where: { $0.lowercased() == filled(header).lowercased() }) {
      faults.append("\(place): the answer has no \(filled(header))")
    }
    guard !exchange.answer.isEmpty else { return }
    let expected = try JSONValue(parsing: exchange.answer)
    let actual = try JSONValue(parsing: parts.count > 1 ? parts[1] : "null")
    if let fault = difference(expected, actual, "") { faults.append("\(place): \(fault)") }
  }

  /// The text with values in the place of names.
  private func filled(_ text: String) -> String {
    values.reduce(text) { text, entry in
      let plain = entry.value.string ?? entry.value.text
      return text.replacing("\"{\(entry.key)}\"", with: entry.value.text).replacing(
        "{\(entry.key)}",
        with: plain
      )
    }
  }

  /// Returns the first difference between the answer of the page and that of the server; nil if there is none.
  private mutating func difference(_ expected: JSONValue, _ actual: JSONValue, _ path: String) -> String? {
    if let text = expected.string {
      if text == "…" { return nil }
      if let name = text.wholeMatch(of: /\{([a-z0-9_]+)\}/)?.1, values[String(name)] == nil {
        values[String(name)] = actual
        return nil
      }
      let wanted = text.hasPrefix("{") ? values[String(text.dropFirst().dropLast())] : nil
      return (wanted ?? .string(filled(text))) == actual
        ? nil : "\(path) is \(actual.text) instead of \(text)"
    }
    if let object = expected.object {
      guard let found = actual.object else { return "\(path) is \(actual.text), not an object" }
      for (key, value) in object.members where key != "…" {
        guard let other = found[key] else { return "\(path) has no \(key): \(actual.text)" }
        if let fault = difference(value, other, "\(path).\(key)") { return fault }
      }
      let further = found.keys.filter { object[$0] == nil }
      return further.isEmpty || object["…"] != nil ? nil : "\(path) also has \(further): \(actual.text)"
    }
    if let array = expected.array {
      let shown = array.last == "…" ? Array(array.dropLast()) : array
      guard let found = actual.array,
        shown.count == array.count ? found.count == shown.count : found.count >= shown.count
      else { return "\(path) is \(actual.text), not \(shown.count) elements" }
      for (index, pair) in zip(shown, found).enumerated() {
        if let fault = difference(pair.0, pair.1, "\(path)[\(index)]") { return fault }
      }
      return nil
    }
    return expected == actual ? nil : "\(path) is \(actual.text) instead of \(expected.text)"
  }
}
