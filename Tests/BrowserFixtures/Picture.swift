package import Foundation
internal import Values

/// A picture of a page, in PNG.
package struct Picture: Sendable {
  package let data: Data

  package init(data: Data) { self.data = data }

  /// The width and the height in pixels; nil if the data are no PNG.
  package var size: (width: Int, height: Int)? {
    let bytes = [UInt8](data.prefix(24))
    guard bytes.count == 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
      return nil
    }
    let numbers = [16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
    return (numbers[0], numbers[1])
  }
}

extension Browser {
  /// Takes a picture of the window, or of the whole page; in WebKit, always of the window.
  package func picture(wholePage: Bool = false) async throws -> Picture {
    guard driver.engine == .chromium else {
      let text = try await command("GET", "/screenshot").string ?? ""
      return Picture(data: Data(base64Encoded: text) ?? Data())
    }
    var parameters: JSONObject = ["format": "png"]
    if wholePage {
      let size = try await chromium("Page.getLayoutMetrics")["cssContentSize"]
      parameters["captureBeyondViewport"] = true
      parameters["clip"] = [
        "x": 0, "y": 0, "width": size?["width"] ?? 0, "height": size?["height"] ?? 0, "scale": 1,
      ]
    }
    let text = try await chromium("Page.captureScreenshot", parameters)["data"]?.string ?? ""
    return Picture(data: Data(base64Encoded: text) ?? Data())
  }

  /// Writes a picture of the window, or of the whole page, to a file. Folders are made.
  package func screenshot(to file: URL, wholePage: Bool = false) async throws {
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await picture(wholePage: wholePage).data.write(to: file)
  }
}
