// SPDX-License-Identifier: Apache-2.0
// ESRI shapefiles through GDAL, where CMake found it.
#include "buildings.hpp"
#include "heddle/core/error.hpp"

#if defined(CITY_WIND_GDAL)
#include <ogrsf_frmts.h>

#include <memory>
#endif

namespace city_wind {

#if defined(CITY_WIND_GDAL)

std::vector<Building> read_shapefile(const std::filesystem::path& file, const std::string& height_field) {
  const std::string where = "shapefile '" + file.string() + "'";
  GDALAllRegister();
  // By this driver alone: others look at the content, whatever the name says, and some of them open further
  // files and addresses that stand in it.
  const char* const drivers[] = {"ESRI Shapefile", nullptr};
  const std::unique_ptr<GDALDataset> data(
      GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY, drivers));
  if (data == nullptr || data->GetLayerCount() < 1)
    throw heddle::Error(where, "it cannot be read", "put the .shx and .dbf files into the same folder");
  OGRLayer* const layer = data->GetLayer(0);
  if (layer->GetLayerDefn()->GetFieldIndex(height_field.c_str()) < 0)
    throw heddle::Error(where, "it has no field '" + height_field + "'",
                        "name the field of heights with --height-field");
  std::vector<Building> buildings;
  for (auto& feature : *layer) {
    const std::string place = where + ", shape " + std::to_string(feature->GetFID());
    const OGRGeometry* const shape = feature->GetGeometryRef();
    if (shape == nullptr) throw heddle::Error(place, "it has no outline");
    const auto add = [&](const OGRPolygon& polygon) {
      if (polygon.getNumInteriorRings() > 0)
        throw heddle::Error(place, "the polygon has a hole", "split it into polygons without holes");
      const OGRLinearRing* const outline = polygon.getExteriorRing();
      if (outline == nullptr) throw heddle::Error(place, "the polygon is empty", "remove it");
      std::vector<Vec2> ring;
      for (const OGRPoint& point : *outline)
        ring.push_back({point.getX(), point.getY()});
      buildings.push_back(
          make_building(place, std::move(ring), feature->GetFieldAsDouble(height_field.c_str())));
    };
    switch (wkbFlatten(shape->getGeometryType())) {
    case wkbPolygon:
      add(*shape->toPolygon());
      break;
    case wkbMultiPolygon:
      for (const OGRPolygon* polygon : *shape->toMultiPolygon())
        add(*polygon);
      break;
    default:
      throw heddle::Error(place, "it is not a polygon");
    }
  }
  return buildings;
}

#else

std::vector<Building> read_shapefile(const std::filesystem::path& file, const std::string&) {
  throw heddle::Error(
      "shapefile '" + file.string() + "'", "this program was built without GDAL",
      "install it (Debian: libgdal-dev) and configure again, or give a table of boxes and polygons");
}

#endif

} // namespace city_wind
