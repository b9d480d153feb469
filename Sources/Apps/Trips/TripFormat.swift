package import Domain

/// An export format for calendars and maps.
package enum TripFormat: String, Sendable, CaseIterable {
  /// iCalendar (RFC 5545), for calendars.
  case ics
  /// GeoJSON (RFC 7946), for maps on the web.
  case geojson
  /// GPX 1.1, for navigation devices.
  case gpx
  /// KML 2.2, for Google Earth and similar programs.
  case kml

  /// Returns the trip in this format.
  ///
  /// - Throws: `missing_fields` for a calendar of a trip without a first day.
  package func text(_ trip: TripDocument) throws(DomainError) -> String {
    switch self {
    case .ics: try TripCalendar.text(trip)
    case .geojson: TripMap.geojson(trip)
    case .gpx: TripMap.gpx(trip)
    case .kml: TripMap.kml(trip)
    }
  }
}
