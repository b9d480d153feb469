extension ShapedIssuer {
  /// Returns the entry of the provider in the file of providers, as an operator writes it: for `authentik` without the
  /// slash at the end of the issuer.
  package func entry(secretFile: String, label: String? = nil) -> String {
    let written = shape.name == "authentik" ? String(issuer.dropLast()) : issuer
    var lines = [
      "  \(shape.name):", "    label: \(label ?? shape.name)", "    issuer: \(written)",
      "    client_ids: ['\(shape.client.id)']",
    ]
    if shape.name == "apple" {
      lines += ["    key_file: \(secretFile)", "    key_id: KEY", "    team_id: TEAM"]
    } else {
      lines.append("    client_secret_file: \(secretFile)")
    }
    return (lines + shape.settings.map { "    \($0)" }).joined(separator: "\n")
  }

  /// The content of the secret file: the client's secret, or for Apple its key.
  package func secret() async throws -> String {
    shape.name == "apple" ? try await TestKey.ec("client").pem : shape.client.secret
  }
}
