/// The origin of a server.
enum Origin {
  /// Returns an origin without a slash at its end.
  ///
  /// - Throws: ``ClientError`` with the kind `invalidInput` for a text that is not `http` or `https` and a host.
  static func checked(_ text: String) throws(ClientError) -> String {
    var origin = text
    while origin.hasSuffix("/") { origin.removeLast() }
    let rest = origin.hasPrefix("https://") ? origin.dropFirst(8) : origin.dropFirst(7)
    guard origin.hasPrefix("https://") || origin.hasPrefix("http://"), !rest.isEmpty,
      rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@".utf8.contains($0) })
    else {
      throw ClientError(
        .invalidInput,
        "\"\(text)\" is not the address of a server",
        hint: "use an address such as https://fettle.example"
      )
    }
    return origin
  }
}
