/// An enum with `String` raw values that is stored as text or as an enum type of the database.
///
/// ```swift
/// enum Colour: String, PostgresTextEnum { case red, green }
/// ```
///
/// The server infers the type of a bound value, so the same Swift enum fits a `text` column and an enum
/// column. An array of them is sent as `text[]` and needs a cast for an array of an enum type.
public protocol PostgresTextEnum: PostgresRawRepresentable where RawValue == String {}

extension PostgresTextEnum {
  /// Inferred by the server from the statement.
  public static var postgresType: PostgresType { .inferred }
}
