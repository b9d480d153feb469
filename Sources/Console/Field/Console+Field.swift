internal import API
internal import Domain
internal import Secrets
internal import Web

/// The field app under `/app/`: one page for all of its addresses, its files, and the worker that keeps them on a phone.
///
/// None of it depends on who asks: the app signs in by itself, and its data is that of `/v1`.
extension Console {
  var fieldRoutes: [Route] {
    let app = FieldApp.standard
    // Every address of the app is the same page; the app reads the address.
    let addresses = ["", "{page}", "{page}/{a}", "{page}/{a}/{b}", "{page}/{a}/{b}/{c}"]
    let shells = addresses.map { address in
      file("/app/\(address)") { request in .shell(app, for: request) }
    }
    return shells + [
      file("/app") { _ in .see(Place(["app", ""])) },
      // A browser asks for the worker at each launch, and sees by its bytes whether there is a new build.
      file("/app/worker.js") { request in
        // The worker may load the build and nothing else.
        .file(
          app.worker,
          for: request,
          ["content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'"]
        )
      },
      file("/app/manifest.webmanifest") { request in
        let text = JSONValue.object(app.manifest).text
        return .file(
          AssetLibrary.Asset(bytes: Array(text.utf8), mediaType: "application/manifest+json"),
          for: request
        )
      },
      file("/app/icon/{name}") { request in
        let name = try request.parameter("name")
        guard let width = Int(name.prefix { $0 != "." }), name == "\(width).png", let icon = app.icon(width)
        else { throw DomainError(.notFound) }
        return .file(icon, for: request)
      },
      file("/app/b/{build}/{name}") { request in
        guard let file = app.file(try request.parameter("name")) else { throw DomainError(.notFound) }
        // A page of an older build can still ask for words: it gets those of today, and does not keep them.
        let isThis = try request.parameter("build") == app.build
        return APIAnswer(
          headers: [
            "content-type": file.mediaType,
            "cache-control": isThis ? "public, max-age=31536000, immutable" : "no-store",
          ],
          body: .bytes(file.bytes)
        )
      },
    ]
  }

  /// Returns the route of a file that is the same for everybody.
  private func file(_ pattern: String, _ handler: @escaping @Sendable (APIRequest) throws -> APIAnswer)
    -> Route
  {
    Route(.get, pattern, Self.operation, admission: .everybody, face: .asset) { try handler($0) }
  }
}

extension APIAnswer {
  /// Returns a file that browsers ask for again each time, or nothing new if the browser has it.
  fileprivate static func file(
    _ file: AssetLibrary.Asset,
    for request: APIRequest,
    _ more: [String: String] = [:]
  ) -> APIAnswer {
    var headers: APIHeaders = ["content-type": file.mediaType, "cache-control": "no-cache"]
    for (name, value) in more { headers[name] = value }
    let tag = "\"\(Hex.encode(SHA256.hash(file.bytes).prefix(12)))\""
    headers["etag"] = tag
    guard request.headers["if-none-match"] != tag else { return APIAnswer(status: 304, headers: headers) }
    return APIAnswer(headers: headers, body: .bytes(file.bytes))
  }

  /// Returns the page of the field app.
  fileprivate static func shell(_ app: FieldApp, for request: APIRequest) -> APIAnswer {
    file(
      AssetLibrary.Asset(bytes: Array(app.shell.text.utf8), mediaType: "text/html; charset=utf-8"),
      for: request,
      ["content-security-policy": policy, "referrer-policy": "same-origin"]
    )
  }
}
