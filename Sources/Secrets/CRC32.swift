/// The CRC-32 of zip and Ethernet (polynomial 0xEDB88320). It finds typing errors and offers no security.
package enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  /// Returns the checksum of the bytes.
  package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { value, byte in
      value >> 8 ^ table[Int((value ^ UInt32(byte)) & 255)]
    }
  }
}
