/// An enum with `String` raw values that is stored as text or as an enum type of the database.
///
/// ```swift
/// enum Colour: String, PostgresTextEnum { case red, green }
/// let red = try tx.rows("select id from car where colour = \(Colour.red)", UUID.self)
/// ```
///
/// The server infers the type of a bound value, so the same Swift enum fits a `text` column and an enum
/// column. An array of them is sent as `text[]` and needs a cast for an array of an enum type. Text without a
/// case is a decoding error.
public protocol PostgresTextEnum: PostgresRawRepresentable where RawValue == String {}

extension PostgresTextEnum {
  /// Inferred by the server from the statement.
  public static var postgresType: PostgresType { .inferred }
}
