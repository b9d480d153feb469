internal import Domain
internal import Webhooks

/// The addresses of a provider: HTTPS, or HTTP on this machine for tests and for a provider behind a local
/// proxy.
enum ProviderURL {
  /// Returns the fault of an address; nil if it is acceptable.
  static func fault(in url: String) -> String? {
    if let fault = Webhook.fault(in: url) { return fault.replacing("a webhook's URL", with: "the URL") }
    guard !url.contains("#") else { return "the URL must not have a fragment" }
    let isSecure = url.lowercased().hasPrefix("https://")
    return isSecure || LocalHost.isNamed(inURL: url)
      ? nil : "the URL must begin with https://, except on this machine"
  }

  /// Requires an acceptable address that another document names. A provider that is reached by HTTPS cannot name
  /// addresses without it.
  ///
  /// - Throws: `unavailable`.
  static func require(_ url: String, namedBy issuer: String) throws(DomainError) -> String {
    let isDowngrade = issuer.lowercased().hasPrefix("https://") && !url.lowercased().hasPrefix("https://")
    guard fault(in: url) == nil, !isDowngrade else {
      throw DomainError(.unavailable, "the identity provider names an address that is not HTTPS")
    }
    return url
  }
}
