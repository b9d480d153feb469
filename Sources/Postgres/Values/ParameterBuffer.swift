/// The bound values of one statement, in PostgreSQL's binary format.
///
/// A ``PostgresEncodable`` type appends its bytes here; the buffer keeps track of lengths and nulls. The
/// values of a statement may have at most 2 GiB together.
public struct ParameterBuffer: Sendable {
  /// The place of one value in the buffer.
  struct Slot: Sendable {
    var type: UInt32
    var offset: Int32
    /// −1 for null.
    var length: Int32
    /// Position of this value's `$` in the statement's text.
    var placeholder: Int32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var slots: [Slot] = []
  /// True if the value being appended is null.
  private var isNull = false

  init() {}

  var count: Int { slots.count }

  mutating func reserveCapacity(_ values: Int) {
    slots.reserveCapacity(values)
    bytes.reserveCapacity(values * 16)
  }

  /// Encodes and appends a value.
  ///
  /// - Parameter placeholder: the position of its `$` in the text.
  mutating func bind<T: PostgresEncodable>(_ value: T, at placeholder: Int) {
    let start = bytes.count
    isNull = false
    value.encode(into: &self)
    let length = isNull ? -1 : Int32(bytes.count - start)
    slots.append(
      Slot(type: T.postgresType.oid, offset: Int32(start), length: length, placeholder: Int32(placeholder))
    )
  }

  /// Binds a value that is already encoded; nil for null.
  mutating func append(_ encoded: [UInt8]?, type: UInt32, at placeholder: Int) {
    slots.append(
      Slot(
        type: type,
        offset: Int32(bytes.count),
        length: encoded.map { Int32($0.count) } ?? -1,
        placeholder: Int32(placeholder)
      )
    )
    bytes += encoded ?? []
  }

  /// Appends a value of another buffer.
  mutating func append(_ slot: Slot, of other: ParameterBuffer, at placeholder: Int) {
    var copy = slot
    copy.offset = Int32(bytes.count)
    copy.placeholder = Int32(placeholder)
    if slot.length > 0 {
      bytes.append(contentsOf: other.bytes[Int(slot.offset)..<Int(slot.offset + slot.length)])
    }
    slots.append(copy)
  }

  /// Appends an integer in big-endian order, as PostgreSQL's binary formats require.
  public mutating func append<T: FixedWidthInteger>(_ integer: T) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes unchanged.
  ///
  /// - Parameter more: bytes in the binary format of the declared type; the server rejects others with 22P03
  ///   or 08P01.
  public mutating func append(bytes more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }

  /// Appends text as UTF-8. The server rejects text with a NUL character.
  public mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Makes the value null; nothing else may be appended for this value.
  public mutating func appendNull() {
    isNull = true
  }

  /// Appends one element of an array or one field of a row, with its length. Returns true if it is null.
  @discardableResult
  mutating func appendElement<T: PostgresEncodable>(_ value: T) -> Bool {
    let header = reserveInt32()
    isNull = false
    value.encode(into: &self)
    let wasNull = isNull
    isNull = false
    overwrite(wasNull ? -1 : Int32(bytes.count - header - 4), at: header)
    return wasNull
  }

  /// Appends four zero bytes and returns their position, for ``overwrite(_:at:)``.
  mutating func reserveInt32() -> Int {
    append(Int32(0))
    return bytes.count - 4
  }

  /// Replaces bytes by an integer in big-endian order.
  mutating func overwrite<T: FixedWidthInteger>(_ value: T, at index: Int) {
    withUnsafeBytes(of: value.bigEndian) { source in
      for offset in source.indices { bytes[index + offset] = source[offset] }
    }
  }

  mutating func reserveBytes(_ count: Int) {
    bytes.reserveCapacity(count)
  }

  mutating func removeAllBytes() {
    bytes.removeAll(keepingCapacity: true)
  }
}
