internal import Glibc

/// Decides whether a host is this machine, for everything that is allowed without encryption or from a browser on this
/// machine only.
///
/// The text is parsed as an address and never compared by its beginning: `127.0.0.1.evil.example` is a name of somebody
/// else, who may let it lead to this machine.
package enum LocalHost {
  /// True for `localhost`, an address of 127.0.0.0/8 and `::1`, which may be in brackets.
  package static func isNamed(by host: some StringProtocol) -> Bool {
    var host = host.lowercased()
    if host == "localhost" { return true }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    var v4 = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, host, &v4) == 1 { return v4[0] == 127 }
    var v6 = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, host, &v6) == 1 else { return false }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127]
    return v6.starts(with: mapped) || v6 == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// True if the host of a URL is this machine. A URL with a user name is none.
  package static func isNamed(inURL url: String) -> Bool {
    guard let scheme = url.firstRange(of: "://") else { return false }
    let authority = url[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
    return URLAuthority(authority).map { isNamed(by: $0.host) } ?? false
  }
}
