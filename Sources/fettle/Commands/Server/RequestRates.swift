internal import API
internal import ArgumentParser
internal import Store

/// How a server limits the rate of requests. Attempts to sign in are always limited.
struct RequestRates: Sendable {
  /// The ways of limiting.
  enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Permits are taken from the database in blocks.
    case leased
    /// Each request takes its permits from the database.
    case exact
    /// Requests are not limited.
    case off
  }

  var kind = Kind.leased
  /// The multiple of the usual rates.
  var factor = 1

  /// The rules for requests.
  var rules: RateLimiter.Rules {
    RateLimiter.Rules(address: rule(.address), account: rule(.account), company: rule(.company))
  }

  private func rule(_ usual: RateRule) -> RateRule {
    let count = usual.count * factor
    return switch kind {
    case .exact: .exact(usual.name, count: count, per: usual.period)
    case .leased, .off: RateRule(usual.name, count: count, per: usual.period)
    }
  }
}
