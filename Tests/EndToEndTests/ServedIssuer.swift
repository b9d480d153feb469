import SignIn
import SignInFixtures
import Synchronization
import TestTools

/// A ``ShapedIssuer`` behind HTTP on 127.0.0.1.
final class ServedIssuer: Sendable {
  /// The provider, whose addresses contain the port of the server.
  private final class Place: Sendable {
    let issuer = Mutex<ShapedIssuer?>(nil)
  }

  let issuer: ShapedIssuer
  private let server: LoopbackServer

  static func open(_ shape: ProviderShape) async throws -> ServedIssuer {
    let place = Place()
    let server = try LoopbackServer { client in
      guard let issuer = place.issuer.withLock(\.self),
        let request = Self.read(from: client, of: issuer.origin)
      else { return }
      let answer = issuer.answer(request)
      let body = String(decoding: answer.body, as: UTF8.self)
      client.send(
        "HTTP/1.1 \(answer.status) Said\r\nContent-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n\(body)"
      )
    }
    let issuer = try await ShapedIssuer(shape, origin: "http://127.0.0.1:\(server.port)")
    place.issuer.withLock { $0 = issuer }
    return ServedIssuer(issuer, server)
  }

  private init(_ issuer: ShapedIssuer, _ server: LoopbackServer) {
    self.issuer = issuer
    self.server = server
  }

  func stop() { server.stop() }

  private static func read(from client: LoopbackConnection, of origin: String) -> ProviderRequest? {
    var text = ""
    while true {
      guard let more = client.receive() else { return nil }
      text += String(decoding: more, as: UTF8.self)
      guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
      let lines = text[..<end.lowerBound].split(separator: "\r\n")
      func field(_ name: String) -> String? {
        lines.first { $0.lowercased().hasPrefix(name + ":") }.map {
          String($0.dropFirst(name.count + 1).drop { $0 == " " })
        }
      }
      let body = text[end.upperBound...]
      guard body.utf8.count >= field("content-length").flatMap({ Int($0) }) ?? 0 else { continue }
      let words = lines.first?.split(separator: " ") ?? []
      guard words.count == 3 else { return nil }
      let form = ShapedIssuer.query(String(body)).map { (name: $0.key, value: $0.value) }
      return ProviderRequest(
        "\(origin)\(words[1])",
        form: words[0] == "POST" ? form : nil,
        authorization: field("authorization")
      )
    }
  }
}
