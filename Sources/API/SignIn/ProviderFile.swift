internal import Domain
internal import FoundationEssentials
package import SignIn
internal import Store

/// Reads the file of `fettle serve --identity-providers`.
package enum ProviderFile {
  /// Returns the providers of a YAML or JSON file. Their secrets are in files of their own, named in it.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - credentials: systemd's `CREDENTIALS_DIRECTORY`; nil for none.
  ///   - client: sends requests to the providers.
  /// - Throws: `not_found`, `invalid_document`, `unknown_key`, and errors of secret files.
  package static func read(
    _ path: String,
    credentials: String?,
    client: any ProviderClient = CurlProviderClient()
  ) throws -> IdentityProviders {
    guard let bytes = FileManager.default.contents(atPath: path),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw DomainError(
        .notFound,
        "the file \(path) of identity providers cannot be read",
        hint: "check the path and its permissions"
      )
    }
    let file = try YAMLDocument.decode(IssuerEntry.File.self, text, document: path)
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let issuers = try file.providers.map { try $0.issuer(in: folder, credentials: credentials) }
    for keys in [issuers.map(\.name), issuers.map(\.issuer)] where Set(keys).count != keys.count {
      throw DomainError(.invalidDocument, "\(path): two providers have the same name or issuer")
    }
    return IdentityProviders(issuers.map { IdentityProvider($0, client: client) })
  }
}
