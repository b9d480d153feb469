/// The limit of a rate: permits per period. All permits may be used at once.
///
/// Permits come back evenly: each after `period / count`.
package struct RateRule: Sendable, Hashable {
  /// The name of the rule, part of the key under which its use is stored, such as `sign-in`.
  package let name: String
  /// The number of permits per period, at least 1.
  package let count: Int
  /// The period in which all permits come back.
  package let period: Duration
  /// The number of permits that a process takes from the database at once.
  ///
  /// A process spends them from memory. So all processes together exceed a rule by at most one block each.
  package let block: Int

  /// Creates a rule whose permits are taken in blocks of a twentieth of their number.
  package init(_ name: String, count: Int, per period: Duration) {
    self.init(name, count: count, per: period, block: max(1, count / 20))
  }

  /// Creates a rule whose permits are taken one by one, so that it holds exactly for all processes together.
  package static func exact(_ name: String, count: Int, per period: Duration) -> RateRule {
    RateRule(name, count: count, per: period, block: 1)
  }

  package init(_ name: String, count: Int, per period: Duration, block: Int) {
    self.name = name
    self.count = max(1, count)
    self.period = period
    self.block = max(1, block)
  }
}

extension RateRule {
  /// The rule for the network of a whole site, which has the addresses of many clients: four times the permits.
  package var ofSite: RateRule {
    RateRule("\(name)-site", count: 4 * count, per: period, block: block == 1 ? 1 : 4 * block)
  }

  /// All requests of a network address.
  package static let address = RateRule("address", count: 600, per: .seconds(60))
  /// All requests of an account.
  package static let account = RateRule("account", count: 1_200, per: .seconds(60))
  /// All requests of a company.
  package static let company = RateRule("company", count: 6_000, per: .seconds(60))

  /// Attempts to sign in to an account.
  package static let signIn = exact("sign-in", count: 10, per: .seconds(900))
  /// Attempts to sign in from a network address.
  package static let signInAddress = exact("sign-in-address", count: 50, per: .seconds(900))
  /// New accounts from a network address.
  package static let signUp = exact("sign-up", count: 20, per: .seconds(3_600))
  /// Attempts at one-time codes, recovery codes and invite codes of an account.
  package static let code = exact("code", count: 10, per: .seconds(900))
  /// Attempts at such codes from a network address.
  package static let codeAddress = exact("code-address", count: 50, per: .seconds(900))
  /// Mails for verification and reset to an address.
  package static let mail = exact("mail", count: 5, per: .seconds(3_600))
  /// Requests for such mails from a network address.
  package static let mailAddress = exact("mail-address", count: 30, per: .seconds(3_600))
  /// Refreshes of a session. The subject is the id of the session.
  package static let refresh = exact("refresh", count: 30, per: .seconds(60))
}
