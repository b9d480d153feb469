public import FoundationEssentials

/// A server setting for one transaction, like that of `SET LOCAL name = 'value'`.
///
/// ```swift
/// let options = TransactionOptions(settings: [.uuid("app.tenant", tenant), .text("app.reason", reason)])
/// ```
///
/// All settings of a transaction are one prepared statement with the values as parameters, which errors do not show.
/// Custom settings have a dotted name and are read with `current_setting('app.tenant')`.
public struct TransactionSetting: Sendable {
  /// The name and the value as arguments of `set_config`.
  let call: SQL

  /// Returns a setting with a UUID as its value.
  ///
  /// - Parameters:
  ///   - name: a setting such as `app.tenant`; custom settings have a dot.
  ///   - value: written in lower case.
  public static func uuid(_ name: StaticString, _ value: UUID) -> TransactionSetting {
    text(name, value.uuidString.lowercased())
  }

  /// Returns a setting with any text as its value.
  ///
  /// The server's own message may repeat a value that a built-in setting does not accept.
  public static func text(_ name: StaticString, _ value: String) -> TransactionSetting {
    TransactionSetting(call: "pg_catalog.set_config('\(literal: name)', \(value), true)")
  }

  /// Returns a duration in milliseconds: at least 1, because 0 would disable the limit.
  static func limit(_ name: StaticString, _ duration: Duration) -> TransactionSetting {
    let (seconds, attoseconds) = duration.components
    let milliseconds = max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    return text(name, String(min(milliseconds, Int64(Int32.max))))
  }
}
