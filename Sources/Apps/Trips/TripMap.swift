internal import Domain

/// A trip for maps: the stops with coordinates, in order.
enum TripMap {
  static func geojson(_ trip: TripDocument) -> String {
    let features = trip.stops.compactMap { stop -> JSONValue? in
      guard let place = stop.place else { return nil }
      var properties: JSONObject = ["name": .string(stop.name), "day": .integer(stop.day)]
      if let date = stop.date { properties["date"] = .string(date.description) }
      if let light = stop.bestLight { properties["best_light"] = .string(light) }
      if let notes = stop.notes { properties["notes"] = .string(notes) }
      return [
        "type": "Feature", "id": .string(stop.id.text),
        "geometry": ["type": "Point", "coordinates": [.number(place.longitude), .number(place.latitude)]],
        "properties": .object(properties),
      ]
    }
    let collection: JSONObject = [
      "type": "FeatureCollection", "name": .string(trip.title), "features": .array(features),
    ]
    return JSONValue.object(collection).text + "\n"
  }

  static func gpx(_ trip: TripDocument) -> String {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<gpx version="1.1" creator="Fettle" xmlns="http://www.topografix.com/GPX/1/1">"#,
      "  <metadata><name>\(escaped(trip.title))</name></metadata>",
    ]
    for stop in trip.stops {
      guard let place = stop.place else { continue }
      lines.append(
        #"  <wpt lat="\#(place.latitude.canonicalText)" lon="\#(place.longitude.canonicalText)">"#
          + "<name>\(escaped(stop.name))</name>"
          + (stop.description.map { "<desc>\(escaped($0))</desc>" } ?? "")
          + "</wpt>"
      )
    }
    let days = Dictionary(grouping: trip.stops.filter { $0.place != nil }, by: \.day)
    for day in days.keys.sorted() {
      lines.append("  <rte><name>Day \(day)</name>")
      for stop in days[day] ?? [] {
        guard let place = stop.place else { continue }
        lines.append(
          #"    <rtept lat="\#(place.latitude.canonicalText)" lon="\#(place.longitude.canonicalText)">"#
            + "<name>\(escaped(stop.name))</name></rtept>"
        )
      }
      lines.append("  </rte>")
    }
    return (lines + ["</gpx>", ""]).joined(separator: "\n")
  }

  static func kml(_ trip: TripDocument) -> String {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<kml xmlns="http://www.opengis.net/kml/2.2">"#,
      "<Document><name>\(escaped(trip.title))</name>",
    ]
    for stop in trip.stops {
      guard let place = stop.place else { continue }
      lines.append(
        "  <Placemark><name>\(escaped(stop.name))</name>"
          + (stop.description.map { "<description>\(escaped($0))</description>" } ?? "")
          + "<Point><coordinates>\(place.longitude.canonicalText),\(place.latitude.canonicalText)"
          + "</coordinates></Point></Placemark>"
      )
    }
    return (lines + ["</Document>", "</kml>", ""]).joined(separator: "\n")
  }

  /// Returns the text escaped for XML, without characters that XML 1.0 excludes.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t", "\r": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
