internal import Foundation
internal import TestTools

/// Images for tests, built byte by byte.
package enum PhotoSample {
  /// A JPEG of 16 × 8 pixels that is turned by 90° (orientation 6) and has the coordinates of a place in its EXIF data.
  package static let located: [UInt8] = {
    let plain = Array(Data(base64Encoded: jpeg) ?? Data())
    // The segment follows the start of the image.
    return Array(plain.prefix(2)) + exif + Array(plain.dropFirst(2))
  }()

  /// The bytes of the latitude's reference and degrees, which are in ``located``.
  package static let mark = Array("GPS-MARK-59N18E".utf8)

  /// An image like a photo, as a program writes it with options of libvips, which must be installed.
  package static func noise(_ format: String, _ options: String) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-photo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (grey, photo) = (folder.appending(path: "a.v").path, folder.appending(path: "a.\(format)"))
    for words in [
      ["gaussnoise", grey, "640", "480", "--sigma", "20", "--mean", "120", "--seed", "7"],
      ["cast", grey, "\(photo.path)[\(options)]", "uchar"],
    ] {
      try Child("/usr/bin/vips", words).wait()
    }
    return Array(try Data(contentsOf: photo))
  }

  /// A PNG that declares 30,000 × 30,000 pixels in 69 bytes.
  package static let bomb: [UInt8] = {
    let header: [UInt8] = [0x49, 0x48, 0x44, 0x52, 0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 8, 2, 0, 0, 0]
    let data: [UInt8] = [0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + header + crc(header)
      + [0, 0, 0, 8] + data + crc(data) + [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
  }()

  /// An EXIF segment: orientation, and GPS data with a text that tests look for.
  private static let exif: [UInt8] = {
    func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    func long(_ value: Int) -> [UInt8] { short(value >> 16) + short(value & 0xFFFF) }
    let area = mark + [0]
    // Header, two entries with their count and end, then one entry of the GPS directory.
    let gps = 8 + 2 + 2 * 12 + 4
    let text = gps + 2 + 12 + 4
    var tiff: [UInt8] = Array("MM".utf8) + short(42) + long(8)
    tiff += short(2) + short(0x0112) + short(3) + long(1) + short(6) + short(0)
    tiff += short(0x8825) + short(4) + long(1) + long(gps) + long(0)
    tiff += short(1) + short(0x001D) + short(2) + long(area.count) + long(text) + long(0) + area
    let body = Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xE1] + short(body.count + 2) + body
  }()

  private static func crc(_ bytes: [UInt8]) -> [UInt8] {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    value = ~value
    return [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  private static let jpeg = [
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i",
    "Z2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj",
    "Y2NjY2NjY2P/wAARCAAIABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF",
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW",
    "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi",
    "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC",
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm",
    "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq",
    "8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDHooorhPqD/9k=",
  ].joined()
}
